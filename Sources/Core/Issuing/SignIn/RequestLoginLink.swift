internal import Domain
package import OAuth

/// Sends a login link, or a newer one (WireContract 7.1, Events 8.3).
///
/// Known, unknown, disabled and mail-limited addresses take the same steps: the same loads, the
/// same row in the mail queue, the same append, unless this very request's mail went out in the
/// same minute (decision 0120). Whether a mail goes out is decided by the sender,
/// outside the request (Security I15).
package struct RequestLoginLink: Sendable {
    /// Why nothing was sent.
    package enum Refusal: Error, Sendable {
        case page(OAuthError)
        /// The form again, with the field marked.
        case malformedAddress
    }

    let context: SignInContext
    private let budget: MailBudget
    private let mailQueue: any MailQueue
    let mailIsDue: @Sendable () -> Void

    /// `mailIsDue` is called after a commit, so that the sender need not wait for its next look.
    package init(
        _ context: SignInContext,
        budget: MailBudget,
        mailQueue: any MailQueue,
        mailIsDue: @escaping @Sendable () -> Void
    ) {
        self.context = context
        self.budget = budget
        self.mailQueue = mailQueue
        self.mailIsDue = mailIsDue
    }

    /// Opens a link to `address` and ends the older ones of this browser; on to the consent,
    /// without a mail, when somebody has logged in already.
    package func request(
        _ posted: SignInContext.Posted,
        address: [UInt8]?,
        _ browser: BrowserRequest
    ) async throws(Refusal) -> SignInAnswer {
        do throws(OAuthError) {
            if let answer = try await press(posted, address, browser) { return answer }
        } catch {
            let again: SignInAnswer?
            do throws(OAuthError) {
                again = try await context.again(.giveUp(.login), after: error, posted, browser)
            } catch { throw .page(error) }
            guard let again else { throw .page(error) }
            return again
        }
        throw .malformedAddress
    }

    /// Nil for what is no address.
    private func press(
        _ posted: SignInContext.Posted,
        _ address: [UInt8]?,
        _ browser: BrowserRequest
    ) async throws(OAuthError) -> SignInAnswer? {
        try context.check(posted, for: .login, of: browser)
        let (started, isLoggedIn) = try await context.opened(posted.request, of: browser)
        guard !isLoggedIn else { return SignInAnswer(.consent(posted.request)) }
        if let email = try await email(started, address, browser) {
            return try await open(email, posted.request, started, browser)
        }
        guard started.request.renews != nil else { return nil }
        return try await endRenewal(posted.request, started, browser)
    }

    private func open(
        _ email: EmailAddress,
        _ id: StreamID,
        _ started: Authorization.Started,
        _ browser: BrowserRequest
    ) async throws(OAuthError) -> SignInAnswer {
        // The link that it replaces is replaced once: so often it can be sent, however often the
        // form comes (decision 0161).
        let mail = id.bytes + (started.loginLink?.bytes ?? [])
        let isMailed = try await isWithinLimits(email, as: mail, started.request.client, browser)
        let answer = SignInAnswer(.waiting(id), cookies: newestRequest(id, started, browser))
        if try await keepsLink(to: email, started, mails: isMailed, browser) { return answer }
        let entropy = context.commands.entropy
        let link = StreamID.timeOrdered(at: context.commands.clock.now, from: entropy)
        let sealed = try await seal(email, link, browser)
        // Generation 0 is no link's: the sender drops the row, and the request took as long.
        try await enqueue(link, generation: isMailed ? 1 : 0, browser)
        var known = started
        for _ in 0..<Self.attemptsMax {
            let replaced = known.loginLink
            let command = browser.command(client: started.request.client)
            let isOpened = try await context.run(command, of: browser, on: id) {
                (work: inout Work) async throws(CommandError<OAuthError>) in
                let (authorization, now) = try await work.loadOpen(id, of: browser)
                // The same form came twice at once, and the other's mail is on its way.
                guard now.loginLink == replaced else { return false }
                let user = try await owner(of: email, in: &work)
                try await open(link, for: (user, sealed), of: (authorization, now), browser, &work)
                return true
            }
            if isOpened {
                mailIsDue()
                return answer
            }
            known = try await context.open(id, of: browser)
            let isKept = try await keepsLink(to: email, known, mails: false, browser)
            // The mail was counted for a link in the other one's place.
            if isKept || isMailed { return answer }
        }
        throw OAuthError(StoreError.unavailable)
    }

    /// As often as a form may come at once.
    private static let attemptsMax = 4

    /// `former`: in whose place it is; it keeps that one's life and number, which the page shows.
    func open(
        _ link: StreamID,
        inPlaceOf former: LoginLink.Request? = nil,
        for address: (owner: SubjectID?, sealed: SealedRequest),
        of request: (authorization: Loaded<Authorization>, started: Authorization.Started),
        _ browser: BrowserRequest,
        _ work: inout Work
    ) async throws(CommandError<OAuthError>) {
        var (authorization, started) = request
        let client = try work.requireClient(started.request.client)
        try await supersedeOlder(than: link, authorization, browser, in: &work)
        let random = context.commands.entropy.bytes(8)
        let number = UInt64(bigEndian: random.span)
        var opened = Loaded<LoginLink>.new(link)
        let lifetime = work.project.settings.loginLinkLifetimeSeconds
        let request = LoginLink.Request(
            authorization: authorization.stream,
            client: client.id,
            email: address.sealed.email,
            device: address.sealed.device,
            place: address.sealed.place,
            subject: address.owner,
            initiator: started.browser,
            mode: former?.mode ?? client.loginLinkMode,
            number: former?.number ?? Int(number % 100),
            requestedAt: work.now,
            // After its sign-in nothing goes on by it.
            expiresAt: former?.expiresAt
                ?? min(started.request.expiresAt, work.now.adding(seconds: lifetime))
        )
        started.loginLink = link
        work.attributes.subject = address.owner
        work.attributes.seal = link
        do { try work.decide(.request(request), on: &opened) } catch {
            throw .refused(.endedRequest("\(error)"))
        }
        try work.deciding(
            .requestLogin(link, browser: started.browser, at: work.now),
            on: &authorization
        )
    }

    /// Whether the request's own link is for this address and stays: one that was approved and
    /// still logs in, or its user would wait in vain, and one that may be approved when no other
    /// mail may go out now, or the user would have none (decision 0120).
    ///
    /// Of the request and what it was sent alone, whoever the address belongs to (I15); unapproved
    /// only in the minute of its mail: then its own mail explains the limit, and nobody learns
    /// of another's. Never one that this browser has replaced at another of its pages: that page's
    /// link would stay open beside it (Security 4.6).
    private func keepsLink(
        to email: EmailAddress,
        _ started: Authorization.Started,
        mails isMailed: Bool,
        _ browser: BrowserRequest
    ) async throws(OAuthError) -> Bool {
        guard let link = started.loginLink else { return false }
        let state = try await context.load(LoginLink.self, link, for: browser)
        let now = context.commands.clock.now
        guard let request = state.request, now < request.expiresAt else { return false }
        switch state {
        case .approved:
            guard try await context.opensStill(link, request, browser) else { return false }
        case .requested, .superseded:
            // Alike: who waits must not learn that another login has ended it (decision 0200).
            let mailed = request.resentAt ?? request.requestedAt
            guard !isMailed, now.seconds / 60 == mailed.seconds / 60,
                try await !context.isReplaced(link, of: request.authorization, by: browser)
            else { return false }
        case .absent, .consumed, .denied: return false
        }
        return try await context.email(of: link, request, by: browser.deadline) == email
    }

    /// Whose address it is; as many loads and guards when it is nobody's (I15), and all from the
    /// log: a user would be remembered, nobody never is.
    func owner(of email: EmailAddress, in work: inout Work)
        async throws(CommandError<OAuthError>) -> SubjectID?
    {
        let name = work.names.loginID(email, in: work.project.number)
        let login = try await work.loadingCurrent(LoginID.self, name)
        work.require(login)
        switch login.state {
        case .claimed(let subject):
            work.require(try await work.loadingCurrent(Subject.self, subject.stream))
            return subject
        case .free:
            let nobody = StreamID(high: name.high, low: ~name.low)
            work.require(try await work.loadingCurrent(Subject.self, nobody))
            return nil
        }
    }

    /// - Throws: a page 429 when network, client or project are past their limits (L6).
    /// - Returns: whether the address may get the mail (L5), or was to get it just now.
    func isWithinLimits(
        _ email: EmailAddress,
        as mail: [UInt8],
        _ client: ClientID,
        _ browser: BrowserRequest
    ) async throws(OAuthError) -> Bool {
        let now = context.commands.clock.now
        let (project, end) = (browser.project.number, browser.deadline)
        var isAllowed: Bool
        var isMailed = false
        do {
            isAllowed = try await budget.allows(browser.address, in: project, at: now, by: end)
            if isAllowed {
                isMailed = try await budget.allows(
                    email,
                    for: client,
                    as: mail,
                    from: browser.address,
                    in: project,
                    at: now,
                    by: end
                )
                // Asked also of one that was counted now: how long it takes must not tell whether
                // the address has had a mail, and what is answered tells of client and project.
                let isOver = try await budget.isExhausted(by: client, in: project, at: now, by: end)
                isAllowed = isMailed || !isOver
            }
        } catch { throw OAuthError(error) }
        guard isAllowed else { throw .tooManyMails(at: now) }
        return isMailed
    }

    typealias SealedRequest = (email: Sealed, device: Sealed?, place: Sealed?)

    /// Always under the link's own key, also for a known address: a look-up must not take longer.
    func seal(_ email: EmailAddress, _ link: StreamID, _ browser: BrowserRequest)
        async throws(OAuthError) -> SealedRequest
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

    func enqueue(_ link: StreamID, generation: Int32, _ browser: BrowserRequest)
        async throws(OAuthError)
    {
        do {
            try await mailQueue.enqueue(
                .loginLink(link, generation: generation),
                project: browser.project.number,
                by: browser.deadline
            )
        } catch { throw OAuthError(error) }
    }
}
