internal import Domain
package import OAuth

/// Sends a login link, or a newer one (wire.md section 7.1, events.md section 8.3).
///
/// Known, unknown, disabled and mail-limited addresses take the same steps: the same loads, the
/// same row in the mail queue, the same append. Whether a mail goes out is decided by the sender,
/// outside the request (security.md I15).
package struct RequestLoginLink: Sendable {
    /// Why nothing was sent.
    package enum Refusal: Error, Sendable {
        case page(OAuthError)
        /// The form again, with the field marked.
        case malformedAddress
    }

    private let context: SignInContext
    private let budget: MailBudget
    private let mailbox: any Mailbox
    private let mailIsDue: @Sendable () -> Void

    /// `mailIsDue` is called after a commit, so that the sender need not wait for its next look.
    package init(
        _ context: SignInContext,
        budget: MailBudget,
        mailbox: any Mailbox,
        mailIsDue: @escaping @Sendable () -> Void
    ) {
        self.context = context
        self.budget = budget
        self.mailbox = mailbox
        self.mailIsDue = mailIsDue
    }

    /// Opens a link to `address` and ends the older ones of this browser.
    package func request(
        _ posted: SignInContext.Posted,
        address: [UInt8]?,
        _ browser: BrowserRequest
    ) async throws(Refusal) -> SignInAnswer {
        do throws(OAuthError) {
            let started = try await context.open(posted, for: .login, of: browser)
            if let email = try await email(started, address, browser) {
                return try await open(email, posted.request, started, browser)
            }
        } catch { throw .page(error) }
        throw .malformedAddress
    }

    /// At a reauthentication the address is the hint's subject's, whatever the form says
    /// (wire.md section 4.5).
    private func email(
        _ started: Authorization.Started,
        _ address: [UInt8]?,
        _ browser: BrowserRequest
    ) async throws(OAuthError) -> EmailAddress? {
        guard started.request.renews != nil, let subject = started.request.expectedSubject else {
            return address.flatMap { EmailAddress($0) }
        }
        return try await context.email(of: subject, for: browser)
    }

    /// The next generation of the request's link; the older mail's link is dead.
    package func resend(_ posted: SignInContext.Posted, _ browser: BrowserRequest)
        async throws(OAuthError) -> SignInAnswer
    {
        let started = try await context.open(posted, for: .resend, of: browser)
        let answer = SignInAnswer(.waiting(posted.request))
        guard let link = started.loginLink else { return answer }
        let state = try await context.load(LoginLink.self, link, for: browser)
        guard case .requested(let request) = state, request.generation < .max,
            let email = try await context.email(of: link, request, by: browser.deadline)
        else { return answer }
        guard try await isWithinLimits(email, request.client, browser) else { return answer }
        try await enqueue(link, generation: request.generation + 1, browser)
        let command = browser.command(client: request.client)
        try await context.run(command, of: browser, on: link) {
            (work: inout Work) async throws(CommandError<OAuthError>) in
            var loaded = try await work.loading(LoginLink.self, link)
            work.attributes.subject = request.subject
            // Another resend came first: its mail is on its way, and ours would be of no use.
            guard loaded.state.request?.generation == request.generation else { return }
            // Approved, denied or expired meanwhile: the waiting page says so.
            _ = try? work.decide(.resend(at: work.now), on: &loaded)
        }
        mailIsDue()
        return answer
    }

    private func open(
        _ email: EmailAddress,
        _ id: StreamID,
        _ started: Authorization.Started,
        _ browser: BrowserRequest
    ) async throws(OAuthError) -> SignInAnswer {
        let isMailed = try await isWithinLimits(email, started.request.client, browser)
        if !isMailed, try await isOnItsWay(to: email, started, browser) {
            return SignInAnswer(.waiting(id), cookies: newestRequest(id, browser))
        }
        let entropy = context.commands.entropy
        let link = StreamID.timeOrdered(at: context.commands.clock.now, from: entropy)
        let number = entropy.bytes(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) } % 100
        let sealed = try await seal(email, link, browser)
        // Generation 0 is no link's: the sender drops the row, and the request took as long.
        try await enqueue(link, generation: isMailed ? 1 : 0, browser)
        let command = browser.command(client: started.request.client)
        let digest = started.browser
        try await context.run(command, of: browser, on: id) {
            (work: inout Work) async throws(CommandError<OAuthError>) in
            var (authorization, now) = try await work.loadOpen(id, browser: digest)
            let client = try work.requireClient(started.request.client)
            try await supersedeOlder(than: link, authorization, browser, in: &work)
            let subject = try await owner(of: email, in: &work)
            var opened = Loaded<LoginLink>.new(link)
            let lifetime = work.project.settings.loginLinkLifetimeSeconds
            let request = LoginLink.Request(
                authorization: id,
                client: client.id,
                email: sealed.email,
                device: sealed.device,
                place: sealed.place,
                subject: subject,
                initiator: digest,
                mode: client.loginLinkMode,
                number: Int(number),
                requestedAt: work.now,
                expiresAt: work.now.adding(seconds: lifetime)
            )
            now.loginLink = link
            work.attributes.subject = subject
            work.attributes.seal = link
            do { try work.decide(.request(request), on: &opened) } catch {
                throw .refused(.endedRequest("\(error)"))
            }
            try work.deciding(
                .requestLogin(link, browser: digest, at: work.now),
                on: &authorization
            )
        }
        mailIsDue()
        return SignInAnswer(.waiting(id), cookies: newestRequest(id, browser))
    }

    /// Whether the request's own link is for this address and may still be approved: it stays when
    /// no other mail may go out now, or the user would have none (decision 0120).
    ///
    /// Of the request and what it was sent alone, whoever the address belongs to (I15).
    private func isOnItsWay(
        to email: EmailAddress,
        _ started: Authorization.Started,
        _ browser: BrowserRequest
    ) async throws(OAuthError) -> Bool {
        guard let link = started.loginLink else { return false }
        let state = try await context.load(LoginLink.self, link, for: browser)
        guard case .requested(let request) = state,
            context.commands.clock.now < request.expiresAt
        else { return false }
        return try await context.email(of: link, request, by: browser.deadline) == email
    }

    /// The cookie names the newest request that asked for a mail: the next one ends its link.
    private func newestRequest(_ id: StreamID, _ browser: BrowserRequest) -> [CookieChange] {
        guard let transaction = browser.transaction else { return [] }
        return [
            .transaction(
                OpaqueToken(
                    .transaction,
                    stream: id,
                    secret: transaction.secret,
                    digester: context.digester
                )
            )
        ]
    }

    private func supersedeOlder(
        than link: StreamID,
        _ authorization: Loaded<Authorization>,
        _ browser: BrowserRequest,
        in work: inout Work
    ) async throws(CommandError<OAuthError>) {
        var older: Set<StreamID> = []
        if let own = authorization.state.started?.loginLink { older.insert(own) }
        if let newest = browser.transaction?.stream, newest != authorization.stream {
            let other = try await work.loading(Authorization.self, newest)
            if let started = other.state.started, let known = started.loginLink,
                started.browser == browser.transaction?.digest
            {
                older.insert(known)
            }
        }
        for stream in older.sorted() {
            var loaded = try await work.loading(LoginLink.self, stream)
            do { try work.decide(.supersede(by: link), on: &loaded) } catch {
                throw .refused(.endedRequest("\(error)"))
            }
        }
    }

    /// Whose address it is; as many loads and guards when it is nobody's (I15).
    private func owner(of email: EmailAddress, in work: inout Work)
        async throws(CommandError<OAuthError>) -> SubjectID?
    {
        let name = context.names.loginID(email, in: work.project.number)
        let login = try await work.loading(LoginID.self, name)
        work.require(login)
        switch login.state {
        case .claimed(let subject):
            work.require(try await work.loading(Subject.self, subject.stream))
            return subject
        case .free:
            let nobody = StreamID(high: name.high, low: ~name.low)
            work.require(try await work.loading(Subject.self, nobody))
            return nil
        }
    }

    /// - Throws: a page 429 when network, client or project are past their limits (L6).
    /// - Returns: whether the address may get a mail (L5).
    private func isWithinLimits(
        _ email: EmailAddress,
        _ client: ClientID,
        _ browser: BrowserRequest
    ) async throws(OAuthError) -> Bool {
        let now = context.commands.clock.now
        let project = browser.project.number
        let isAllowed: Bool
        let isMailed: Bool
        do {
            isAllowed = try await budget.allows(
                browser.address,
                client,
                in: project,
                at: now,
                by: browser.deadline
            )
            isMailed =
                isAllowed
                ? try await budget.allows(email, in: project, at: now, by: browser.deadline)
                : false
        } catch { throw OAuthError(error) }
        guard isAllowed else { throw .tooManyMails }
        return isMailed
    }

    /// Always under the link's own key, also for a known address: a look-up must not take longer.
    private func seal(_ email: EmailAddress, _ link: StreamID, _ browser: BrowserRequest)
        async throws(OAuthError) -> (email: Sealed, device: Sealed?, place: Sealed?)
    {
        let device = DeviceName(userAgent: browser.userAgent)
        do {
            let number = browser.project.number
            let key = try await context.sealer.key(link, of: number, by: browser.deadline)
            return (
                key.seal(email.bytes, as: SealedPlace(stream: link, member: "email")),
                device.map {
                    key.seal(Array($0.text.utf8), as: SealedPlace(stream: link, member: "device"))
                },
                browser.place.map {
                    key.seal(Array($0.text.utf8), as: SealedPlace(stream: link, member: "place"))
                }
            )
        } catch { throw OAuthError(error) }
    }

    private func enqueue(_ link: StreamID, generation: Int32, _ browser: BrowserRequest)
        async throws(OAuthError)
    {
        do {
            try await mailbox.enqueue(
                .loginLink(link, generation: generation),
                project: browser.project.number,
                by: browser.deadline
            )
        } catch { throw OAuthError(error) }
    }
}
