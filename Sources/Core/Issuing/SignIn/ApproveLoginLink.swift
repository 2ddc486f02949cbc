package import Domain
package import OAuth

/// Approval of a login by its link, in a browser or by an app (WireContract 7.3–7.5).
package struct ApproveLoginLink: Sendable {
    let context: SignInContext
    let tokens: LoginLinkToken
    private let proofs: DPoPProofs?

    /// Without `proofs` the cookie alone tells the device that asked.
    package init(_ context: SignInContext, proofs: DPoPProofs? = nil) {
        self.context = context
        self.proofs = proofs
        tokens = LoginLinkToken(context.digester)
    }

    /// Why an approval did not happen.
    package enum Refusal: Error, Sendable {
        /// Unknown, expired, ended, superseded, or of another client.
        case dead(String)
        /// Refused before, and why; the link is what it was then.
        case denied(StreamID, LoginLink.DenyReason)
        /// `deny`, and this is not the device that asked.
        case otherDevice
        /// `confirm`, another device, and no number yet: what to show.
        case numberRequired(LinkView)
        /// The request has ended by it.
        case wrongNumber
        /// Not of the link: the database, a shortage, or a proof that lacks its nonce.
        case failed(OAuthError)
    }

    /// A link as received: its token and the client its path names.
    package struct Presented: Sendable {
        package var token: [UInt8]
        /// Nil in a posted form: the form token names the link already.
        package var client: [UInt8]?

        package init(token: [UInt8], client: [UInt8]?) {
            self.token = token
            self.client = client
        }
    }

    /// Looks, changes and counts nothing.
    package func view(_ presented: Presented, _ browser: BrowserRequest)
        async throws(Refusal) -> LinkView
    {
        let (token, request, isApproved) = try await find(presented, browser)
        return try await view(token.stream, request, isApproved: isApproved, browser)
    }

    /// Approves; returns when the approval is committed, now or before by this link.
    ///
    /// `proof`: of an app; by the key that the login was asked for with (`dpop_jkt`) it tells that
    /// this is the device that asked.
    package func approve(
        _ presented: Presented,
        by approver: LoginLink.Approver,
        number: Int?,
        proof: DPoPProofs.Request? = nil,
        _ browser: BrowserRequest
    ) async throws(Refusal) {
        let (token, request, isApproved) = try await find(presented, browser)
        // Asked again, as after an answer that was lost.
        if isApproved {
            do { return try await context.confirm(for: browser) } catch { throw .failed(error) }
        }
        let use = try await proven(proof, request, browser)
        let isSame = use != nil || isSameDevice(request, browser)
        if !isSame, request.mode == .confirm, number == nil {
            let view = try await view(token.stream, request, isApproved: false, browser)
            throw .numberRequired(view)
        }
        // A number tells them apart; a tap would be for whichever mail came.
        if approver == .browser, !isSame, request.mode == .automatic,
            try await awaitsOther(browser)
        {
            throw .failed(.otherMail)
        }
        let command = LoginLink.Command.approve(
            by: approver,
            sameDevice: isSame,
            generation: request.generation,
            number: number,
            at: context.commands.clock.now
        )
        let events = try await run(command, token.stream, request, spending: use, browser)
        if events.contains(.denied(.numberMismatch)) { throw .wrongNumber }
    }

    /// The holder of the link says it was not them.
    package func deny(_ presented: Presented, _ browser: BrowserRequest) async throws(Refusal) {
        let (token, request, isApproved) = try await find(presented, browser)
        guard !isApproved else { throw .dead("approved") }
        let command = LoginLink.Command.deny(
            .user,
            generation: request.generation,
            at: context.commands.clock.now
        )
        _ = try await run(command, token.stream, request, browser)
    }

    func isSameDevice(_ request: LoginLink.Request, _ browser: BrowserRequest) -> Bool {
        browser.binding(request.initiator) != nil
    }

    /// A nonce for an app's next proof; nil when the project asks for none.
    package func nonce(in project: Project) -> String? { proofs?.nonce(in: project) }

    /// The use of a proof by the key of the login; one by another key, or a wrong one, is as none.
    ///
    /// - Throws: also `use_dpop_nonce` where a nonce is all that is missing.
    private func proven(
        _ proof: DPoPProofs.Request?,
        _ request: LoginLink.Request,
        _ browser: BrowserRequest
    ) async throws(Refusal) -> SingleUse? {
        guard let proofs, let proof, !proof.headers.isEmpty,
            let client = browser.project.enabledClient(request.client)?.value
        else { return nil }
        let login: Authorization.State
        do {
            login = try await context.load(Authorization.self, request.authorization, for: browser)
        } catch { throw .failed(error) }
        guard let key = login.started?.request.dpopKey else { return nil }
        do {
            let rules = DPoPProofs.Rules(of: client)
            let read = try proofs.read(proof, by: rules, in: browser.project)
            return read?.key == key ? read?.use : nil
        } catch {
            // Where any device may approve, it is no matter which one this is.
            if error.nonce != nil, request.mode != .automatic { throw .failed(error) }
            return nil
        }
    }
}

extension ApproveLoginLink {
    /// Decides on the link; an approval ends the subject's other open ones (WireContract 7.5).
    private func run(
        _ decision: LoginLink.Command,
        _ link: StreamID,
        _ request: LoginLink.Request,
        spending use: SingleUse? = nil,
        _ browser: BrowserRequest
    ) async throws(Refusal) -> [LoginLink.Event] {
        var command = browser.command(client: request.client)
        command.attributes.actor = .system
        command.attributes.subject = request.subject
        let newcomer = try await newcomer(link, request, browser)
        let outcome: Result<[LoginLink.Event], Refusal>
        do {
            outcome = try await context.run(command, of: browser, on: link) {
                (work: inout Work) async throws(CommandError<OAuthError>) in
                if let use { try await work.spend(use, refused: .usedProof) }
                let outcome: Result<[LoginLink.Event], Refusal> =
                    try await stands(link, request, of: newcomer, for: decision, in: &work)
                    ? try await decide(decision, on: link, in: &work)
                    : .failure(.dead("stopped since"))
                // Refused: the proof stays good.
                if case .failure = outcome { work.takeBack() }
                return outcome
            }
        } catch { throw .failed(error) }
        return try outcome.get()
    }

    /// The address of a link that was asked for while it was nobody's.
    private func newcomer(
        _ link: StreamID,
        _ request: LoginLink.Request,
        _ browser: BrowserRequest
    ) async throws(Refusal) -> EmailAddress? {
        guard request.subject == nil else { return nil }
        do { return try await context.email(of: link, request, by: browser.deadline) } catch {
            throw .failed(error)
        }
    }

    /// Whether client and user, on whom an approval rests, are as they were when it was asked for;
    /// so is an address that was nobody's: its first login ends all others (decision 0191), and
    /// it can have none once sign-up has closed.
    ///
    /// Guards them (WireContract 9.7); who denies needs neither.
    private func stands(
        _ link: StreamID,
        _ request: LoginLink.Request,
        of newcomer: EmailAddress?,
        for decision: LoginLink.Command,
        in work: inout Work
    ) async throws(CommandError<OAuthError>) -> Bool {
        guard case .approve = decision else { return true }
        work.require(work.project.configuration)
        try await work.requireKnown(request.client)
        guard !work.project.isSuspended else { throw .refused(.suspendedProject) }
        guard work.project.enabledClient(request.client) != nil else { return false }
        guard let subject = request.subject else {
            guard let newcomer else { return false }
            let name = work.names.loginID(newcomer, in: work.project.number)
            let login = try await work.loadingCurrent(LoginID.self, name)
            work.require(login)
            if case .free = login.state { return work.project.settings.signup == .open }
            // It has made the user itself, approved by the same press that came twice at once.
            let now = try await work.loadingCurrent(LoginLink.self, link)
            if case .consumed = now.state { return true }
            return false
        }
        let owner = try await work.loading(Subject.self, subject.stream)
        work.require(owner)
        return owner.state.honours(linkRequestedAt: request.requestedAt)
    }

    private func decide(_ decision: LoginLink.Command, on link: StreamID, in work: inout Work)
        async throws(CommandError<OAuthError>) -> Result<[LoginLink.Event], Refusal>
    {
        var loaded = try await work.loading(LoginLink.self, link)
        let events: [LoginLink.Event]
        do { events = try work.decide(decision, on: &loaded) } catch {
            // Refused meanwhile, perhaps for this very request.
            if case .denied(_, let why) = loaded.state { return .failure(.denied(link, why)) }
            if case .crossDevice = error { return .failure(.otherDevice) }
            return .failure(.dead("\(error)"))
        }
        for event in events {
            switch event {
            case .approved: try await supersedeOthers(than: loaded, in: &work)
            case .denied:
                if let request = loaded.state.request { try await end(request, in: &work) }
            case .requested, .resent, .mailSent, .mailFailed, .superseded, .consumed: break
            }
        }
        return .success(events)
    }

    /// Who refuses ends the request, as a wrong pick does (WireContract 7.3): whoever waits gets
    /// no other mail, and no other number.
    private func end(_ request: LoginLink.Request, in work: inout Work)
        async throws(CommandError<OAuthError>)
    {
        // Begun at another node perhaps: what this one remembers may be from before that.
        var login = try await work.loadingCurrent(Authorization.self, request.authorization)
        guard case .started = login.state else { return }
        try work.deciding(.fail(.accessDenied, browser: request.initiator), on: &login)
    }
}
