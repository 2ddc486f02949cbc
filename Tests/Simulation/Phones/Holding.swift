import Domain

// @unchecked: touched by the one thread that runs the simulation.
/// What one app holds of one session.
final class Holding: @unchecked Sendable {
    /// An id token and the device secret it names.
    struct Pass: Sendable {
        var identity: [UInt8]
        var secret: [UInt8]
        /// Its place among the session's secrets.
        var index: Int
        var session: SessionID
    }

    let client: String
    let id: SessionID
    let session: Thing
    let family: Thing
    /// The key its refresh tokens are bound to.
    let proofKey: DeviceKey?
    /// What a reuse of its refresh token ends.
    let ends: [Thing]
    /// Whether its answers carry the session's device secret.
    let sharesSecret: Bool
    /// Whether its app opened the session; another joined it.
    var isOwner: Bool { ends.contains(session) }
    /// In the order they were handed out.
    private(set) var tokens: [[UInt8]] = []
    private(set) var accessTokens: [(text: [UInt8], until: UInt64)] = []

    init(
        _ client: String,
        _ id: SessionID,
        _ session: Thing,
        _ family: Thing,
        proofKey: DeviceKey?,
        ends: [Thing],
        sharesSecret: Bool = false
    ) {
        self.client = client
        self.id = id
        self.session = session
        self.family = family
        self.proofKey = proofKey
        self.ends = ends
        self.sharesSecret = sharesSecret
    }

    func take(_ tokens: PhoneReply.Tokens) {
        if let token = tokens.refreshToken, !self.tokens.contains(token) {
            self.tokens.append(token)
        }
        if let access = tokens.access { accessTokens.append((access.text, access.until)) }
    }
}

// @unchecked: touched by the one thread that runs the simulation.
/// The device secrets of one session in the order they were handed out.
final class SecretChain: @unchecked Sendable {
    /// What is obtained with them.
    let shares: Thing
    /// Another app's part: when it comes again, what it had is over.
    let sibling: Thing
    private let session: SessionID
    private let model: DeedModel
    private var values: [[UInt8]] = []
    /// The newest pair; nil before the first.
    private(set) var pass: Holding.Pass?

    init(of session: SessionID, _ thing: Thing, in model: DeedModel) {
        self.session = session
        self.model = model
        shares = model.thing("share", in: [thing])
        sibling = model.thing("sibling's place")
    }

    private func index(of secret: [UInt8]) -> Int {
        if let known = values.firstIndex(of: secret) { return known }
        values.append(secret)
        return values.count - 1
    }

    /// The one that came last, as an app keeps it.
    func take(_ tokens: PhoneReply.Tokens) {
        guard let secret = tokens.secret, let identity = tokens.identity else { return }
        let next = Holding.Pass(
            identity: identity,
            secret: secret,
            index: index(of: secret),
            session: session
        )
        pass = next
        model.passes.append(next)
    }
}
