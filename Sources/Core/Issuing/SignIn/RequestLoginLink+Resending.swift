internal import Domain
package import OAuth

extension RequestLoginLink {
    /// The next generation of the request's link; the older mail's link is dead.
    package func resend(_ posted: SignInContext.Posted, _ browser: BrowserRequest)
        async throws(OAuthError) -> SignInAnswer
    {
        let started = try await context.open(posted, for: .resend, of: browser)
        let answer = SignInAnswer(.waiting(posted.request))
        guard let link = started.loginLink else { return answer }
        let state = try await context.load(LoginLink.self, link, for: browser)
        guard case .requested(let request) = state, request.generation < .max,
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
}
