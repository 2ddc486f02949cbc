internal import Domain
package import OAuth

extension RequestLoginLink {
    /// The mail again, with a new link in the former's place, which is dead from then on.
    ///
    /// Always a new one, whatever has become of the former, and of whom its address is: whoever
    /// waits must not learn of either (Security I15, decision 0200).
    package func resend(_ posted: SignInContext.Posted, _ browser: BrowserRequest)
        async throws(OAuthError) -> SignInAnswer
    {
        let started = try await context.open(posted, for: .resend, of: browser)
        let answer = SignInAnswer(.waiting(posted.request))
        guard let former = started.loginLink else { return answer }
        let state = try await context.load(LoginLink.self, former, for: browser)
        guard let request = state.awaited, context.commands.clock.now < request.expiresAt,
            let email = try await context.email(of: former, request, by: browser.deadline)
        else { return answer }
        // Each link is replaced once: so often its mail can be sent, however often the button is
        // pressed (decision 0163).
        let mail = posted.request.bytes + former.bytes
        guard try await isWithinLimits(email, as: mail, request.client, browser) else {
            return answer
        }
        let commands = context.commands
        let link = StreamID.timeOrdered(at: commands.clock.now, from: commands.entropy)
        let sealed = try await seal(email, link, browser)
        try await enqueue(link, generation: 1, browser)
        let command = browser.command(client: request.client)
        let isSent = try await context.run(command, of: browser, on: posted.request) {
            (work: inout Work) async throws(CommandError<OAuthError>) in
            let (authorization, now) = try await work.loadOpen(posted.request, of: browser)
            let newest = try await work.loading(LoginLink.self, former).state
            // Another press came first: its mail is on its way, and ours would be of no use. Or it
            // was approved, denied or expired meanwhile: the waiting page says so.
            guard now.loginLink == former, let replaced = newest.awaited,
                work.now < replaced.expiresAt
            else { return false }
            let user = try await owner(of: email, in: &work)
            try await open(
                link,
                inPlaceOf: replaced,
                for: (user, sealed),
                of: (authorization, now),
                browser,
                &work
            )
            return true
        }
        guard isSent else { return answer }
        mailIsDue()
        let cookies = newestRequest(posted.request, started, browser)
        return SignInAnswer(.waiting(posted.request), cookies: cookies)
    }
}
