package import Domain
internal import OAuth

/// Sends the login mails that are due (events.md section 8.3).
///
/// At least once, usually once: a process that dies between sending and recording sends again when
/// the lease is over. Whether an address is known, active and within its limits is decided here,
/// outside the request that asked (security.md I15).
package struct MailDispatch: Sendable {
    package static let mailsPerRun = 16
    /// Seconds until the next attempt; after the last one the mail is given up.
    package static let backoffSeconds = [1, 5, 30, 120]
    /// A row whose link was never appended is dropped after this long.
    package static let orphanMilliseconds: Int64 = 60_000

    private let context: SignInContext
    private let mailbox: any Mailbox
    private let sender: any MailSender
    private let tokens: LoginLinkToken

    package init(_ context: SignInContext, mailbox: any Mailbox, sender: any MailSender) {
        self.context = context
        self.mailbox = mailbox
        self.sender = sender
        tokens = LoginLinkToken(context.digester)
    }

    /// One pass over what is due; the number of rows it leased.
    ///
    /// - Throws: when the log did not answer; what is left is due again after its lease.
    package func run(by deadline: Deadline) async throws(StoreError) -> Int {
        let due = try await lease(by: deadline)
        for mail in due { try await deliver(mail, by: deadline) }
        return due.count
    }

    /// The next mails that are due, held against other senders until their leases are over.
    ///
    /// - Throws: when the queue did not answer.
    package func lease(by deadline: Deadline) async throws(StoreError) -> [DueMail] {
        try await mailbox.lease(limit: Self.mailsPerRun, by: deadline)
    }

    /// Gives mails back that are not going to be delivered here: others send them at once.
    ///
    /// - Throws: when the queue did not answer; they are due again after their leases.
    package func giveBack(_ mails: [DueMail], by deadline: Deadline) async throws(StoreError) {
        guard !mails.isEmpty else { return }
        try await mailbox.release(mails, by: deadline)
    }

    /// Sends one leased mail, puts it off, or drops it when nobody is to get it any more.
    ///
    /// - Throws: when the log did not answer; it is due again after its lease.
    package func deliver(_ due: DueMail, by deadline: Deadline) async throws(StoreError) {
        let store = context.commands.store
        let link = try await store.loadCurrent(LoginLink.self, due.link, by: deadline)
        let now = context.commands.clock.now
        guard let request = link.state.request else {
            // Its append may still be on the way.
            let isOrphan = now.millisecondsSince(due.enqueuedAt) >= Self.orphanMilliseconds
            return isOrphan
                ? try await mailbox.remove(due, by: deadline)
                : try await mailbox.postpone(due, seconds: 1, by: deadline)
        }
        guard case .requested = link.state, request.generation == due.generation,
            now < request.expiresAt,
            let project = context.commands.projects.all.first(where: { $0.number == due.project }),
            let mail = try await mail(due, request, project, by: deadline)
        else { return try await mailbox.remove(due, by: deadline) }
        do { try await sender.send(mail, by: deadline) } catch {
            return try await failed(due, request, project, error, by: deadline)
        }
        let sent = LoginLink.Command.recordMailSent(
            generation: due.generation,
            attempt: due.attempts + 1
        )
        try await record(sent, due, request, project, by: deadline)
        try await mailbox.remove(due, by: deadline)
    }

    /// The mail; nil when nobody is to get one.
    private func mail(
        _ due: DueMail,
        _ request: LoginLink.Request,
        _ project: Project,
        by deadline: Deadline
    ) async throws(StoreError) -> LoginMail? {
        guard let client = project.enabledClient(request.client),
            try await isWelcome(request, in: project, by: deadline),
            let key = try await context.sealer.existingKey(due.link, by: deadline),
            let bytes = key.open(
                request.email,
                at: SealedPlace(stream: due.link, member: "email")
            ),
            let email = EmailAddress(bytes)
        else { return nil }
        let token = tokens.text(of: due.link, generation: due.generation)
        let text = String(decoding: token, as: UTF8.self)
        let path = "/clients/\(client.loginLinkApp)/flows/verify_login_link?token=\(text)"
        let device = request.device.flatMap {
            key.open($0, at: SealedPlace(stream: due.link, member: "device"))
        }
        let left = request.expiresAt.millisecondsSince(context.commands.clock.now)
        return LoginMail(
            to: email,
            projectName: project.settings.name,
            clientName: client.name,
            link: project.issuer + path,
            validMinutes: Int(max(1, (left + 30_000) / 60_000)),
            requestedAt: request.requestedAt,
            device: device.map { String(decoding: $0, as: UTF8.self) }
        )
    }

    private func isWelcome(
        _ request: LoginLink.Request,
        in project: Project,
        by deadline: Deadline
    ) async throws(StoreError) -> Bool {
        guard let subject = request.subject else { return project.settings.signup == .open }
        let store = context.commands.store
        let loaded = try await store.loadCurrent(Subject.self, subject.stream, by: deadline)
        if case .active = loaded.state { return true }
        return false
    }

    private func failed(
        _ due: DueMail,
        _ request: LoginLink.Request,
        _ project: Project,
        _ error: MailError,
        by deadline: Deadline
    ) async throws(StoreError) {
        let code: Int
        let isFinal: Bool
        switch error {
        case .transient(let reply):
            code = reply
            isFinal = due.attempts >= Self.backoffSeconds.count
        case .permanent(let reply):
            code = reply
            isFinal = true
        }
        let failed = LoginLink.Command.recordMailFailed(
            generation: due.generation,
            attempt: due.attempts + 1,
            code: code,
            final: isFinal
        )
        try await record(failed, due, request, project, by: deadline)
        guard !isFinal else { return try await mailbox.remove(due, by: deadline) }
        let seconds = Self.backoffSeconds[min(due.attempts, Self.backoffSeconds.count - 1)]
        try await mailbox.postpone(due, seconds: seconds, by: deadline)
    }

    private func record(
        _ command: LoginLink.Command,
        _ due: DueMail,
        _ request: LoginLink.Request,
        _ project: Project,
        by deadline: Deadline
    ) async throws(StoreError) {
        var attributes = EventAttributes(actor: .system)
        attributes.client = request.client
        attributes.subject = request.subject
        let asked = CommandRequest(project: project, attributes: attributes, deadline: deadline)
        do throws(CommandError<Never>) {
            try await context.commands.run(asked, on: due.link) {
                (work: inout Work) async throws(CommandError<Never>) in
                var link: Loaded<LoginLink>
                do throws(StoreError) { link = try await work.load(LoginLink.self, due.link) } catch
                { throw .store(error) }
                // What became of the link meanwhile changes nothing about the mail.
                _ = try? work.decide(command, on: &link)
            }
        } catch {
            switch error {
            case .store(let why): throw why
            }
        }
    }
}
