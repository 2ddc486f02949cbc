import Domain

/// A code and all that comes from it.
struct Lineage: Sendable {
    let client: String
    let code: [UInt8]
    let scope: String
    /// Ends with the browser-session.
    let isBound: Bool
    /// Of the subject that may be disabled.
    let isOwned: Bool
    /// Each use replaces the refresh token.
    let rotates: Bool
    let issuedAt: UInt64
    /// Refresh tokens in the order they were handed out; the place is the generation.
    var tokens: [[UInt8]] = []
    /// Access tokens, and when they expire.
    var accessTokens: [(text: [UInt8], expiresAt: UInt64)] = []
    /// When a request proved a reuse or a replay: from its answer on all is dead.
    var diedBefore: Int?
    /// The session's id, once a client has it.
    var session: SessionID?

    func generation(of token: [UInt8]) -> Int? { tokens.firstIndex(of: token) }
}
