import Domain

/// One request as its client saw it.
struct Asked: Sendable {
    enum Act: Sendable, Hashable, CaseIterable {
        case redeem, refresh, introspect
        /// A refresh token, or an access token.
        case revoke, revokeAccess
        /// The browser-session ends; the subject, a client is disabled.
        case logOut, disableSubject, disableClient
    }

    enum Answer: Sendable, Hashable {
        case granted(Granted)
        case active, inactive
        /// An OAuth error that is final.
        case refused(String)
        /// 503, no answer, or one that was cut: perhaps it is done.
        case unknown
        case done
    }

    /// What a 200 of the token endpoint holds.
    struct Granted: Sendable, Hashable {
        var refreshToken: [UInt8]?
        var accessToken: [UInt8]
        var token: TokenID
        var session: SessionID
        var scope: String
        var expiresAt: Instant
    }

    let number: Int
    let act: Act
    /// Of which code; -1: of all.
    let lineage: Int
    /// The code or token.
    let presented: [UInt8]
    /// Client, redirect URI, verifier and value are the right ones.
    let isRight: Bool
    let askedScope: String?
    let startedStep: Int
    let startedAt: UInt64
    var endedStep: Int?
    var endedAt: UInt64?
    var answer: Answer?

    var granted: Granted? {
        if case .granted(let granted) = answer { return granted }
        return nil
    }

    var isRefused: Bool {
        if case .refused = answer { return true }
        return false
    }

    /// When its effect was over at the latest: a request nobody heard of again may still run on a
    /// node that stands still.
    var effectStep: Int? { answer == .unknown ? nil : endedStep }
    var effectAt: UInt64? { answer == .unknown ? nil : endedAt }

    /// Started before `step`, which is after now for a request that is not over.
    func began(before step: Int?) -> Bool { startedStep < step ?? .max }

    /// The client had the answer before `step`.
    func ended(before step: Int) -> Bool { endedStep.map { $0 < step } ?? false }
}
