internal import Domain
internal import OAuth

extension MailDispatch {
    /// Sends a login link while it may still be approved, and records in its stream what came of
    /// it.
    func deliver(
        _ due: DueMail,
        _ link: StreamID,
        _ generation: Int32,
        by deadline: Deadline
    ) async throws(StoreError) -> Delivery {
        let store = context.commands.store
        let loaded = try await store.loadCurrent(LoginLink.self, link, by: deadline)
        guard let request = loaded.state.request else {
            return try await awaitAppend(of: due, by: deadline)
        }
        // Sent again by a node of the version before: the row is there before its event.
        if case .requested = loaded.state, generation > request.generation {
            return try await awaitAppend(of: due, by: deadline)
        }
        let project = try await context.commands.project(due.project, by: deadline)
        // Mailed already: who sent it died before the row was gone.
        guard case .requested = loaded.state, request.generation == generation,
            !request.isMailed, context.commands.clock.now < request.expiresAt
        else { return try await drop(due, by: deadline) }
        guard let mail = try await mail(link, request, project, by: deadline) else {
            // Nobody is to get it, unless this node is the one that does not know better: what it
            // drops no other node sends.
            return try await isNewest(project, by: deadline)
                ? try await drop(due, by: deadline) : try await wait(due, by: deadline)
        }
        return try await send(.login(mail), due, by: deadline) {
            (failure: Failure?) async throws(StoreError) in
            let attempt = due.attempts + 1
            let command: LoginLink.Command =
                failure.map {
                    .recordMailFailed(
                        generation: generation,
                        attempt: attempt,
                        code: $0.code,
                        final: $0.isFinal
                    )
                } ?? .recordMailSent(generation: generation, attempt: attempt)
            try await record(command, on: link, request, project, by: deadline)
        }
    }

    /// The mail; nil when nobody is to get one.
    private func mail(
        _ link: StreamID,
        _ request: LoginLink.Request,
        _ project: Project,
        by deadline: Deadline
    ) async throws(StoreError) -> LoginMail? {
        guard let client = project.enabledClient(request.client)?.value,
            try await isWelcome(request, in: project, by: deadline),
            let key = try await context.sealer.existingKey(link, by: deadline),
            let bytes = key.open(request.email, at: SealedPlace(stream: link, member: "email")),
            let email = EmailAddress(bytes)
        else { return nil }
        let token = tokens.text(of: link, generation: request.generation)
        let text = String(decoding: token, as: UTF8.self)
        // The paths of a client that is disabled lead nowhere (WireContract 7.5).
        let app = project.enabledClient(client.loginLinkApp)?.value.id ?? client.id
        let path = "/clients/\(app)/flows/verify_login_link?token=\(text)"
        func opened(_ sealed: Sealed?, _ member: String) -> String? {
            sealed.flatMap { key.open($0, at: SealedPlace(stream: link, member: member)) }
                .map { String(decoding: $0, as: UTF8.self) }
        }
        let left = request.expiresAt.millisecondsSince(context.commands.clock.now)
        return LoginMail(
            to: email,
            projectName: project.settings.name,
            clientName: client.name,
            link: project.issuer + path,
            validMinutes: Int(max(1, (left + 30_000) / 60_000)),
            requestedAt: request.requestedAt,
            device: opened(request.device, "device"),
            place: opened(request.place, "place")
        )
    }

    /// Whether this node's settings are those of the document in force.
    private func isNewest(_ project: Project, by deadline: Deadline)
        async throws(StoreError) -> Bool
    {
        let newest = try await context.commands.newest(project, by: deadline)
        return !newest.isBehind && newest.configuration == project.configuration
    }

    private func isWelcome(
        _ request: LoginLink.Request,
        in project: Project,
        by deadline: Deadline
    ) async throws(StoreError) -> Bool {
        guard let subject = request.subject else { return project.settings.signup == .open }
        let store = context.commands.store
        let loaded = try await store.loadCurrent(Subject.self, subject.stream, by: deadline)
        return loaded.state.isActive
    }

    private func record(
        _ command: LoginLink.Command,
        on stream: StreamID,
        _ request: LoginLink.Request,
        _ project: Project,
        by deadline: Deadline
    ) async throws(StoreError) {
        var attributes = EventAttributes(actor: .system)
        attributes.client = request.client
        attributes.subject = request.subject
        let asked = CommandRequest(project: project, attributes: attributes, deadline: deadline)
        try await context.commands.runUnrefused(asked, on: stream) {
            (work: inout Work) async throws(StoreError) in
            var link = try await work.load(LoginLink.self, stream)
            // What became of the link meanwhile changes nothing about the mail.
            _ = try? work.decide(command, on: &link)
        }
    }
}
