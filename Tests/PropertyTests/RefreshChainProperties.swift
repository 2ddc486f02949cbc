import Domain
import TestSupport
import Testing

/// Several holders of copies of one token, two nodes that know only a past state, lost answers.
@Suite("Refresh chain") struct RefreshChainProperties {
    static let client = Sample.client("app")
    static let graceMilliseconds: Int64 = 30_000

    struct Attempt: Sendable {
        /// Which of the tokens handed out so far is presented.
        var token: Int
        /// Versions that the deciding node is behind.
        var behind: Int
        var pauseMilliseconds: Int64
        var rotates: Bool
        var isForeign: Bool

        static let any = Generator<Attempt> { choices in
            Attempt(
                // Mostly one of the newest.
                token: choices.bool() ? choices.integer(0...1) : choices.integer(0...20),
                behind: choices.integer(0...3),
                pauseMilliseconds: choices.one(of: [0, 1, 1000, 29_999, 30_000, 60_000]),
                rotates: choices.draw(below: 4) > 0,
                isForeign: choices.draw(below: 8) == 7
            )
        }
    }

    /// A token as a holder has it.
    struct Token: Hashable {
        var generation: UInt32
        var secret: TokenDigest

        /// Derived from the presented token, as in production by an HMAC.
        var successor: Token {
            let words = secret.words
            let bytes = [words.0, words.1, words.2, words.3].enumerated().flatMap { index, word in
                let mixed = (word ^ UInt64(index)) &* 0x9E37_79B9_7F4A_7C15 &+ 1
                return (0..<8).map { UInt8(truncatingIfNeeded: mixed >> (8 * UInt64($0))) }
            }
            let next = TokenDigest(bytes: bytes) ?? secret
            return Token(generation: generation + 1, secret: next)
        }
    }

    /// The log of one session, and every token that went out.
    struct World {
        var log: [OfflineGrant.Event] = RefreshChainProperties.opened
        var tokens = [Token(generation: 1, secret: Sample.digest(1))]
        var now = Sample.time(0)
        /// Generations whose token was accepted while it was current.
        var used: Set<UInt32> = []
        /// Of these, the ones that were replaced, in order.
        var replaced: [UInt32] = []
        var reused = false

        /// Decides on what a node knows; appends only if that is the newest.
        mutating func attempt(_ attempt: Attempt) throws {
            now = now.adding(milliseconds: attempt.pauseMilliseconds)
            let index = max(0, tokens.count - 1 - attempt.token)
            let request = Self.request(tokens[index], attempt, at: now)
            let stale = log.dropLast(min(attempt.behind, log.count - opened.count))
            var events = try decide(request, after: Array(stale))
            // The append names the version that was seen: a stale one is decided again.
            if stale.count < log.count, events?.isEmpty == false {
                events = try decide(request, after: log)
            }
            try take(events ?? [], for: tokens[index], attempt)
        }

        private func decide(
            _ request: OfflineGrant.Refresh,
            after log: [OfflineGrant.Event]
        ) throws -> [OfflineGrant.Event]? {
            let state = try #require(OfflineGrant.fold(log))
            return try? OfflineGrant.decide(.refresh(request), in: state)
        }

        private mutating func take(
            _ events: [OfflineGrant.Event],
            for token: Token,
            _ attempt: Attempt
        ) throws {
            #expect(!attempt.isForeign || events.isEmpty, "another client changes nothing")
            #expect(!reused || events.isEmpty, "after reuse nothing is issued")
            for event in events {
                switch event {
                case .refreshed(let refreshed):
                    if refreshed.secret != nil {
                        #expect(!replaced.contains(token.generation), "replaced once")
                        #expect(refreshed.secret == token.successor.secret)
                        tokens.append(token.successor)
                        replaced.append(token.generation)
                    } else {
                        #expect(token.generation == tokens.last?.generation, "the newest")
                    }
                    used.insert(token.generation)
                case .retried(_, let generation, _, _):
                    #expect(tokens.last == token.successor, "the same successor again")
                    #expect(generation == token.successor.generation)
                    #expect(!used.contains(generation), "whose own use ended the grace")
                case .reuseDetected: reused = true
                default: #expect(event == .revoked(.reuse))
                }
            }
            log += events
        }

        private static func request(
            _ token: Token,
            _ attempt: Attempt,
            at now: Instant
        ) -> OfflineGrant.Refresh {
            OfflineGrant.Refresh(
                family: 1,
                generation: token.generation,
                presented: token.secret,
                successor: token.successor.secret,
                client: attempt.isForeign ? Sample.client("other") : client,
                scope: nil,
                allowedScope: .empty,
                rotates: attempt.rotates,
                graceMilliseconds: graceMilliseconds,
                token: Sample.token(1),
                tokenExpiresAt: now.adding(seconds: 900),
                at: now
            )
        }
    }

    static let opened: [OfflineGrant.Event] = [
        .opened(
            OfflineGrant.Opening(
                subject: Sample.subject(1),
                client: client,
                scope: .empty,
                authentication: Authentication(methods: [.otp], at: Sample.time(0)),
                via: .code,
                parent: Parent(kind: .code, stream: Sample.stream(2)),
                browserSession: nil,
                openedAt: Sample.time(0),
                expiresAt: Sample.time(9_999_999),
                idleMilliseconds: 0
            )
        ),
        .refreshTokenIssued(
            OfflineGrant.RefreshTokenIssue(
                client: client,
                family: 1,
                scope: .empty,
                secret: Sample.digest(1),
                rotates: true,
                expiresAt: Sample.time(9_999_999)
            ),
            at: Sample.time(0)
        ),
    ]

    @Test("one unused leaf, whoever presents what, when and where") func linear() throws {
        try forAll(Attempt.any.array(0...30), runs: 1000) { attempts in
            var world = World()
            for attempt in attempts { try world.attempt(attempt) }
            // Every generation was handed out once, with one secret.
            #expect(world.tokens.map(\.generation) == world.tokens.indices.map { UInt32($0) + 1 })
            #expect(world.replaced == world.tokens.dropLast().map(\.generation))
        }
    }

    @Test("an honest client whose answers get lost keeps its session") func honest() throws {
        let losses = Generator<[Bool]> { choices in
            (0..<choices.draw(below: 30)).map { _ in choices.bool() }
        }
        try forAll(losses, runs: 500) { losses in
            var world = World()
            // It asks again at once with the token it knows, until an answer arrives.
            var known = 0
            for isLost in losses {
                let attempt = Attempt(
                    token: world.tokens.count - 1 - known,
                    behind: 0,
                    pauseMilliseconds: 900,
                    rotates: true,
                    isForeign: false
                )
                let before = world.log.count
                try world.attempt(attempt)
                #expect(world.log.count == before + 1, "answered")
                if !isLost { known = world.tokens.count - 1 }
            }
            #expect(!world.reused)
        }
    }
}
