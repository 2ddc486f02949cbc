internal import Domain
package import OAuth

extension RequestLoginLink {
    /// The mail again, with the next generation of the request's link, the older mail's being dead;
    /// or with another link in its place, where no generation of it lets anybody in any more.
    ///
    /// Who waits must not learn that a login elsewhere has ended a link: both take the same steps,
    /// and look alike (security.md I15, decision 0200).
    package func resend(_ posted: SignInContext.Posted, _ browser: BrowserRequest)
        async throws(OAuthError) -> SignInAnswer
    {
        let started = try await context.open(posted, for: .resend, of: browser)
        let answer = SignInAnswer(.waiting(posted.request))
        guard let link = started.loginLink else { return answer }
        let state = try await context.load(LoginLink.self, link, for: browser)
        guard let request = state.awaited, request.generation < .max,
            context.commands.clock.now < request.expiresAt,
            let email = try await context.email(of: link, request, by: browser.deadline)
        else { return answer }
        // Each generation is written once: so often its mail can be sent, however often the button
        // is pressed (decision 0163).
        var mail = posted.request.bytes + link.bytes
        mail.append(bigEndian: UInt32(bitPattern: request.generation))
        guard try await isWithinLimits(email, as: mail, request.client, browser) else {
            return answer
        }
        let command = browser.command(client: request.client)
        let opens = try await context.run(command, of: browser, on: link) {
            (work: inout Work) async throws(CommandError<OAuthError>) in
            try await stands(state, for: email, in: &work).opens
        }
        let again = try await prepare(link, request, email, opens: opens, browser)
        try await enqueue(again.next, generation: again.generation, browser)
        let isSent = try await context.run(command, of: browser, on: link) {
            (work: inout Work) async throws(CommandError<OAuthError>) in
            try await send(again, of: posted.request, browser, in: &work)
        }
        guard isSent else { return answer }
        mailIsDue()
        let cookies = newestRequest(posted.request, started, browser)
        return SignInAnswer(.waiting(posted.request), cookies: cookies)
    }

    /// A mail that is sent again.
    private struct Again {
        var former: StreamID
        var formerGeneration: Int32
        /// Whose next generation it is: `former`, or a new link in its place.
        var next: StreamID
        var generation: Int32
        var email: EmailAddress
        /// Of a new link.
        var sealed: SealedRequest
    }

    private func prepare(
        _ link: StreamID,
        _ request: LoginLink.Request,
        _ email: EmailAddress,
        opens: Bool,
        _ browser: BrowserRequest
    ) async throws(OAuthError) -> Again {
        let commands = context.commands
        let new = StreamID.timeOrdered(at: commands.clock.now, from: commands.entropy)
        return Again(
            former: link,
            formerGeneration: request.generation,
            next: opens ? link : new,
            generation: opens ? request.generation + 1 : 1,
            email: email,
            // Also where no new link is needed: how long it takes must not tell.
            sealed: try await seal(email, new, browser)
        )
    }

    /// Whether a mail of this link could let in whoever has the address now (decision 0191, wire.md
    /// section 9.7), and who that is; guards it.
    private func stands(
        _ link: LoginLink.State,
        for email: EmailAddress,
        in work: inout Work
    ) async throws(CommandError<OAuthError>) -> (opens: Bool, owner: SubjectID?) {
        let (subject, state) = try await owner(of: email, in: &work)
        guard case .requested(let request) = link, request.subject == subject else {
            return (false, subject)
        }
        let isHonoured = state.honours(linkRequestedAt: request.requestedAt)
        return (subject == nil || isHonoured, subject)
    }

    /// False when nothing was recorded, and the mail is nobody's.
    private func send(
        _ again: Again,
        of id: StreamID,
        _ browser: BrowserRequest,
        in work: inout Work
    ) async throws(CommandError<OAuthError>) -> Bool {
        let (authorization, started) = try await work.loadOpen(id, of: browser)
        _ = try work.requireClient(started.request.client)
        var former = try await work.loading(LoginLink.self, again.former)
        // Another resend came first: its mail is on its way, and ours would be of no use. Or it was
        // approved, denied or expired meanwhile: the waiting page says so.
        guard started.loginLink == again.former, let request = former.state.awaited,
            request.generation == again.formerGeneration, work.now < request.expiresAt
        else { return false }
        let (opens, owner) = try await stands(former.state, for: again.email, in: &work)
        // Another login came since we looked: who presses once more gets the other link's mail.
        guard opens == (again.next == again.former) else { return false }
        guard opens else {
            try await open(
                again.next,
                for: (owner, again.sealed),
                of: (authorization, started),
                inPlaceOf: request,
                browser,
                &work
            )
            return true
        }
        try await supersedeOlder(than: again.next, authorization, browser, in: &work)
        work.attributes.subject = owner
        // Of one that is open and in time, no next generation is refused.
        _ = try? work.decide(.resend(at: work.now), on: &former)
        return true
    }
}
