package import Domain
package import OAuth

/// Answers when a login has moved on, on whichever node it did (Architecture 11).
package struct AwaitLogin: Sendable {
    package static let waitSecondsMax = 25
    /// Without a hint the log is looked at this often: Kafka may be silent.
    package static let lookEveryMilliseconds = 2000

    private let context: SignInContext
    private let hints: any StreamHints
    private let pause: any Pause
    private let turns: (any LookTurns)?

    /// Without `turns` all pages may look at once.
    package init(
        _ context: SignInContext,
        hints: any StreamHints,
        pause: any Pause,
        turns: (any LookTurns)? = nil
    ) {
        self.context = context
        self.hints = hints
        self.pause = pause
        self.turns = turns
    }

    /// The status; held for at most `waitSeconds` while it is still `seen`, and no longer than the
    /// process lives.
    ///
    /// - Throws: 404 for an unknown request or another browser's; 503 when it has no turn in time.
    package func status(
        of id: StreamID,
        seen: LoginStatus = .pending,
        waitSeconds: Int,
        _ browser: BrowserRequest
    ) async throws(OAuthError) -> LoginStatus {
        let end = pause.deadline(inMilliseconds: min(waitSeconds, Self.waitSecondsMax) * 1000)
        let first = try await look(id, browser)
        // The look tells which streams to listen to; what happens between the two is seen by
        // the look that follows the listening.
        guard first.status == seen, waitSeconds > 0 else { return first.status }
        guard var listener = hints.listen(to: [id, first.link].compactMap(\.self)) else {
            // The page would ask again at once, and be told the same.
            await pause.wait(milliseconds: millisecondsLeft(until: end))
            return Task.isCancelled ? first.status : try await look(id, browser).status
        }
        defer { listener.cancel() }
        var heard = first.link
        while true {
            let (status, link) = try await look(id, browser)
            guard status == seen, pause.deadline(inMilliseconds: 0) < end else { return status }
            // The mail was sent again: the approval will be of another link. Where no more may
            // listen, the former goes on, and the new link is looked at every two seconds.
            if link != heard, let newer = hints.listen(to: [id, link].compactMap(\.self)) {
                listener.cancel()
                (listener, heard) = (newer, link)
                continue
            }
            // The page asks again, and another node answers; or it is gone, and every further wait
            // would be over at once.
            let goesOn = await listener.wait(milliseconds: millisecondsLeft(until: end))
            if !goesOn || Task.isCancelled { return status }
        }
    }

    private func millisecondsLeft(until end: Deadline) -> Int {
        let now = pause.deadline(inMilliseconds: 0).nanoseconds
        let left = end.nanoseconds > now ? (end.nanoseconds - now) / 1_000_000 + 1 : 1
        return min(Int(clamping: left), Self.lookEveryMilliseconds)
    }

    private typealias Seen = (status: LoginStatus, link: StreamID?)

    private func look(_ id: StreamID, _ browser: BrowserRequest)
        async throws(OAuthError) -> Seen
    {
        guard let turns else { return try await lookNow(id, browser) }
        let seen = await turns.take(by: browser.deadline) { () async -> Result<Seen, OAuthError> in
            do throws(OAuthError) { return .success(try await lookNow(id, browser)) } catch {
                return .failure(error)
            }
        }
        guard let seen else { throw OAuthError(StoreError.unavailable) }
        return try seen.get()
    }

    private func lookNow(_ id: StreamID, _ browser: BrowserRequest)
        async throws(OAuthError) -> Seen
    {
        let authorization = try await context.current(id, of: browser)
        guard let link = authorization.started?.loginLink else {
            return (LoginStatus(authorization, .absent, at: context.commands.clock.now), nil)
        }
        let state = try await context.load(LoginLink.self, link, for: browser)
        return (try await context.status(authorization, link, state, browser), link)
    }
}
