package import OAuth

/// One way of obtaining a token (RFC 6749 section 4); one conformance per file in `Grants/`.
package protocol GrantType: Sendable {
    /// The `grant_type` values it answers to, the normative one first.
    static var names: [String] { get }

    /// The parameters it reads; the endpoint refuses repeats of these and drops all others.
    static var parameters: Set<String> { get }

    /// Those that every request must bring: they are missed before a proof is (WireContract 5.1).
    static var required: [String] { get }

    /// Whether an access token may come of it: then clients with bound ones need a proof.
    static var mintsAccessTokens: Bool { get }

    /// Whether a proof is about the caller's own tokens, so that its settings say how to read it.
    static func showsOwnKey(_ request: RequestParameters) -> Bool

    /// Checks, decides, commits, and only then answers.
    func exchange(_ request: RequestParameters, for caller: Caller)
        async throws(OAuthError) -> TokenResponse
}

extension GrantType {
    package static var required: [String] { [] }

    package static var mintsAccessTokens: Bool { true }

    package static func showsOwnKey(_ request: RequestParameters) -> Bool { true }
}
