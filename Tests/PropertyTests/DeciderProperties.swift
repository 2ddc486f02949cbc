import Domain
import EventFormat
import TestSupport
import Testing

@Suite("Deciders") struct DeciderProperties {
    /// Whatever is decided can be folded, can be stored, and after a restart means the same.
    private func holds<A: Aggregate>(_ histories: Generator<[Step<A>]>) throws
    where A.State: Equatable, A.Event: Equatable {
        try forAll(histories, runs: 500) { steps in
            var state = A.initial
            var reloaded = A.initial
            for step in steps {
                guard let events = try? A.decide(step.command, in: state) else { continue }
                #expect(try A.decide(step.command, in: state) == events)
                state = try #require(A.fold(events, from: state), "\(events)")
                let stored = try events.map { try Self.restored(A.wrap($0), at: step.at) }
                reloaded = try #require(A.fold(stored.compactMap(A.unwrap), from: reloaded))
                #expect(reloaded == state)
            }
        }
    }

    private static func restored(_ event: DomainEvent, at now: Instant) throws -> DomainEvent {
        let columns = StoredColumns(
            occurredAt: now,
            subject: event.subject ?? Sample.subject(0)
        )
        let (type, payload) = EventFormat.encode(event)
        return try EventFormat.decode(type: type, payload: payload, columns: columns)
    }

    @Test("Subject") func subject() throws {
        try holds(Step<Subject>.history { $0.subjectCommand(at: $1) })
    }

    @Test("LoginID") func loginID() throws {
        try holds(Step<LoginID>.history { choices, _ in choices.loginIDCommand() })
    }

    @Test("LoginLink") func loginLink() throws {
        try holds(Step<LoginLink>.history { $0.loginLinkCommand(at: $1) })
    }

    @Test("Authorization") func authorization() throws {
        try holds(Step<Authorization>.history { $0.authorizationCommand(at: $1) })
    }

    @Test("BrowserSession") func browserSession() throws {
        try holds(Step<BrowserSession>.history { $0.browserSessionCommand(at: $1) })
    }

    @Test("AuthorizationCode") func authorizationCode() throws {
        try holds(Step<AuthorizationCode>.history { $0.codeCommand(at: $1) })
    }

    @Test("OfflineGrant") func offlineGrant() throws {
        try holds(Step<OfflineGrant>.history { $0.grantCommand(at: $1) })
    }

    @Test("Consent") func consent() throws {
        try holds(Step<Consent>.history { choices, _ in choices.consentCommand() })
    }

    @Test("SigningKeyRing") func signingKeys() throws {
        try holds(Step<SigningKeyRing>.history { $0.keyCommand(at: $1) })
    }

    @Test("ProjectConfig") func projectConfig() throws {
        try holds(Step<ProjectConfig>.history { $0.configCommand(at: $1) })
    }

    @Test("a ring never has two current keys of one algorithm") func oneCurrentKey() {
        forAll(Step<SigningKeyRing>.history { $0.keyCommand(at: $1) }, runs: 500) { steps in
            var ring = SigningKeyRing.initial
            for step in steps {
                let events = (try? SigningKeyRing.decide(step.command, in: ring)) ?? []
                for event in events {
                    guard let next = SigningKeyRing.evolve(ring, by: event) else { continue }
                    ring = next
                    for algorithm in SigningKeyRing.Algorithm.allCases {
                        let current = ring.keys.filter {
                            $0.algorithm == algorithm && $0.status == .current
                        }
                        #expect(current.count <= 1)
                    }
                }
            }
        }
    }

    /// Events in any order, possible or not: a fold answers, and twice the same.
    private func isTotal<A: Aggregate>(
        _ aggregate: A.Type,
        _ make: @escaping @Sendable (inout Choices) -> A.Event
    ) where A.State: Equatable {
        let logs = Generator<A.Event>(make).array(0...12)
        forAll(logs, Generator.integers(0...12), runs: 500) { log, cut in
            let whole = A.fold(log)
            #expect(A.fold(log) == whole)
            let first = A.fold(log.prefix(Int(cut)))
            #expect(first.flatMap { A.fold(log.dropFirst(Int(cut)), from: $0) } == whole)
        }
    }

    @Test("every fold is total, deterministic, and may be cut anywhere") func folds() {
        let at = Sample.time(1)
        let owner = Sample.subject(1)
        isTotal(Subject.self) { $0.subjectEvent(at: at) }
        isTotal(LoginID.self) { $0.loginIDEvent() }
        isTotal(LoginLink.self) { $0.loginLinkEvent(subject: owner, at: at) }
        isTotal(Authorization.self) { $0.authorizationEvent(subject: owner, at: at) }
        isTotal(BrowserSession.self) { $0.browserSessionEvent(subject: owner, at: at) }
        isTotal(AuthorizationCode.self) { $0.codeEvent(subject: owner, at: at) }
        isTotal(OfflineGrant.self) { $0.grantEvent(subject: owner, at: at) }
        isTotal(Consent.self) { $0.consentEvent() }
        isTotal(SigningKeyRing.self) { $0.keyEvent(at: at) }
        isTotal(ProjectConfig.self) { $0.configEvent(at: at) }
    }
}
