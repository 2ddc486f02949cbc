internal import Domain
internal import OAuth

// The newest mail of a browser ends its older ones (wire.md section 7.1).
extension RequestLoginLink {
    /// The cookie names the newest request that asked for a mail: the next one ends its link.
    func newestRequest(
        _ id: StreamID,
        _ started: Authorization.Started,
        _ browser: BrowserRequest
    ) -> [CookieChange] {
        guard let transaction = browser.binding(started.browser) else { return [] }
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

    func supersedeOlder(
        than link: StreamID,
        _ authorization: Loaded<Authorization>,
        _ browser: BrowserRequest,
        in work: inout Work
    ) async throws(CommandError<OAuthError>) {
        var older: Set<StreamID> = []
        if let own = authorization.state.started?.loginLink { older.insert(own) }
        let others = browser.transactions.filter { $0.stream != authorization.stream }
        for (newest, state) in try await current(others, by: work.deadline) {
            if let started = state.started, let known = started.loginLink,
                started.browser == newest.digest
            {
                older.insert(known)
            }
        }
        // Of a link that is sent again the newest mail is its own.
        older.remove(link)
        for stream in older.sorted() {
            var loaded = try await work.loading(LoginLink.self, stream)
            // What is over stays so, and of tabs there may be more than one append can guard.
            guard case .requested = loaded.state else { continue }
            do { try work.decide(.supersede(by: link), on: &loaded) } catch {
                throw .refused(.endedRequest("\(error)"))
            }
        }
    }

    /// What the log says of the browser's other requests, asked at once: their links were asked for
    /// at other nodes perhaps.
    private func current(_ transactions: [OpaqueToken], by deadline: Deadline)
        async throws(CommandError<OAuthError>) -> [(OpaqueToken, Authorization.State)]
    {
        let store = context.commands.store
        do throws(StoreError) {
            let states = try await store.states(
                Authorization.self,
                of: transactions.map(\.stream),
                by: deadline
            )
            return transactions.compactMap { newest in
                states[newest.stream].map { (newest, $0) }
            }
        } catch { throw .store(error) }
    }
}
