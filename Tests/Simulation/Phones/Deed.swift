import OAuth

/// Something that lives until something ends it: a user, a session, an app's part of it, a key.
struct Thing: Hashable, Sendable { let number: Int }

/// Something that works once, and not for ever: a challenge, a code, a proof.
struct Artefact: Hashable, Sendable { let number: Int }

/// One request of a phone, or of a browser it has opened, as its user saw it.
struct Deed: Sendable {
    enum Answer: Hashable, Sendable {
        case passed
        /// An error that is final.
        case refused(OAuthError.Code)
        /// 503, no answer, or one that was cut: perhaps it is done.
        case unknown
    }

    /// A refresh token and its place in the order of its family's.
    struct Shown: Sendable {
        /// What becomes of a token that comes (decision 0255).
        enum Use {
            /// Nothing: that it came is not recorded.
            case unrecorded
            /// It stays, and the one that it replaced is spent.
            case stays
            /// It is replaced, and the one that it replaced is spent.
            case replaced
        }

        var family: Thing
        var generation: Int
        /// What a reuse of it ends.
        var ends: [Thing]
        var use: Use
    }

    /// The code that a request of a browser ends with (decision 0128).
    struct Ending: Sendable {
        var code: Artefact
        /// What came back.
        var got: [UInt8]?
    }

    /// A login: the newest one of a session, or the one that a key is as good as.
    struct Login: Sendable {
        enum Source: Sendable {
            case approved(Approval)
            /// Whichever is the newest one of that session then.
            case newest(of: Thing)
        }

        var thing: Thing
        var source: Source
    }

    /// Whose newest login must be one that a client takes (WireContract 7.3).
    struct Counting: Sendable {
        var thing: Thing
        var policy: ApprovalPolicy
        /// What says that it is none.
        var error: OAuthError.Code
    }

    /// What is asked, and what WireContract says of it.
    struct Plan: Sendable {
        var act: Act
        /// Client, key, URI, session and all else are the right ones.
        var isRight = true
        /// What must live.
        var needs: [Thing] = []
        /// What may be the reason when it is refused.
        var leansOn: [Thing] = []
        var spends: [Artefact] = []
        /// What has ended for certain once it has passed.
        var ends: [Thing] = []
        /// What must be over when it is refused with `invalid_grant`.
        var shows: [Thing] = []
        /// What it may end, as far as the client can tell.
        var perhapsEnds: [Thing] = []
        /// Each that passes takes the place of what the one before it made.
        var place: Thing?
        var shown: Shown?
        var secret: SecretUse?
        /// The code that it gives, the same however often it is asked.
        var gives: Ending?
        /// The key it binds for good, to what.
        var binds: (thing: Thing, key: String)?
        /// The login that it makes.
        var login: Login?
        /// The login that must count for it.
        var counts: Counting?
        /// Tokens that it shows, each good for as long as the key that signed it.
        var tokens: [[UInt8]] = []
        /// When what it shows expires, in ns.
        var until: UInt64?

        init(_ act: Act) { self.act = act }
    }

    let number: Int
    var plan: Plan
    let startedStep: Int
    let startedAt: UInt64
    var endedStep: Int?
    var endedAt: UInt64?
    var answer: Answer?
    /// What its refusal shows to be over.
    var saw: [Thing] = []
    /// Whether the login that it rests on is for certain none that the client takes.
    var isTooLax = false

    var isPassed: Bool { answer == .passed }

    var isRefused: Bool {
        if case .refused = answer { return true }
        return false
    }

    /// When its effect was over at the latest: a request nobody heard of again may still run.
    var effectStep: Int? { answer == .unknown ? nil : endedStep }
    var effectAt: UInt64? { answer == .unknown ? nil : endedAt }

    func began(before step: Int?) -> Bool { startedStep < step ?? .max }

    func ended(before step: Int) -> Bool { endedStep.map { $0 < step } ?? false }
}
