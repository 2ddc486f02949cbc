internal import Domain
internal import OAuth

// The newest mail of a browser ends its older ones (WireContract 7.1).
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
        do throws(StoreError) {
            let others = try await context.otherRequests(
                of: browser,
                than: authorization.stream,
                by: work.deadline
            )
            older.formUnion(others.compactMap(\.loginLink))
        } catch { throw .store(error) }
        for stream in older.sorted() {
            var loaded = try await work.loading(LoginLink.self, stream)
            // What is over stays so, and of tabs there may be more than one append can guard.
            guard case .requested = loaded.state else { continue }
            do { try work.decide(.supersede(by: link), on: &loaded) } catch {
                throw .refused(.endedRequest("\(error)"))
            }
        }
    }
}
