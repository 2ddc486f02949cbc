/// A pre-authenticated URL for a web client; each answer has the device secret of the next request.
extension Bench {
    func preAuthenticatedURLs(of users: [Seeds.Session]) async throws {
        let scope = """
            openid offline_access device_sso https://authgear.com/scopes/pre-authenticated-url
            """
        try await grant(
            "token exchange, pre-authenticated URL",
            signatures: 1,
            verifications: 1,
            answering: "device_secret"
        ) {
            // Sessions of its own for each run: who misses an answer has a minute to ask again.
            let logins = try await logins(of: users, scope: scope)
            return Self.chain(try logins.map(Self.urlRequest))
        }
    }

    private static func urlRequest(_ answer: ArraySlice<UInt8>) throws -> [UInt8] {
        try Wire.exchange(
            answer,
            """
            client_id=offers&audience=\(Stack.origin)\
            &requested_token_type=urn:authgear:params:oauth:token-type:\
            pre-authenticated-url-token
            """
        )
    }

    /// A connection's requests in turn, each made anew from its answer.
    private static func chain(_ first: [[UInt8]]) -> LoadGenerator.Script {
        var requests = first
        let perConnection = first.count / connections
        var next = [Int](repeating: 0, count: connections)
        return { connection, answer in
            let base = connection * perConnection
            if let answer {
                if let request = try? urlRequest(answer.body) {
                    requests[base + next[connection]] = request
                }
                next[connection] = (next[connection] + 1) % perConnection
            }
            return requests[base + next[connection]]
        }
    }
}
