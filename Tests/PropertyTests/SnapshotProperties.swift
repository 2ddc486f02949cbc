import Domain
import EventFormat
import TestSupport
import Testing

@Suite("Snapshots") struct SnapshotProperties {
    /// A history may be cut anywhere: the state kept there and the rest of the events give the
    /// state that all events give.
    private func holds<A: Aggregate>(_ histories: Generator<[Step<A>]>) throws
    where A.State: Equatable {
        var cuts = 0
        try forAll(histories, Generator.integers(0...12), runs: 1000) { steps, cut in
            var state = A.initial
            var kept: A.State?
            var tail: [A.Event] = []
            for (index, step) in steps.enumerated() {
                let events = (try? A.decide(step.command, in: state)) ?? []
                state = try #require(A.fold(events, from: state))
                if kept != nil { tail += events }
                guard kept == nil, index >= cut, state != A.initial else { continue }
                kept = try Self.kept(state, A.self)
            }
            guard let kept else { return }
            cuts += 1
            #expect(A.fold(tail, from: kept) == state)
        }
        // A history that is too short, or in which nothing happens until its end, is not cut.
        #expect(cuts > 100, "\(cuts) of 1000 histories were cut")
    }

    private static func kept<A: Aggregate>(_ state: A.State, _: A.Type) throws -> A.State {
        let stored = try #require(StateFormat.encode(state), "a state that cannot be kept")
        #expect(stored.format == StateFormat.number(for: A.self))
        return try #require(StateFormat.decode(stored.bytes, as: A.self))
    }

    @Test("OfflineGrant") func offlineGrant() throws {
        try holds(Self.opened)
    }

    /// Begun by chance, hardly any history opens a session: what is issued would not fit it.
    private static let opened = Generator<[Step<OfflineGrant>]> { choices in
        let begin = Sample.time(0)
        var opening = choices.opening(subject: choices.subject(), at: begin)
        opening.expiresAt = begin.adding(seconds: 3600)
        var (refreshToken, accessToken) = (choices.refreshToken(), choices.accessToken())
        (refreshToken.client, refreshToken.scope) = (opening.client, opening.scope)
        (accessToken.client, accessToken.scope) = (opening.client, opening.scope)
        let open = OfflineGrant.Command.open(
            opening,
            refreshToken: refreshToken,
            accessToken: accessToken
        )
        let rest = Step<OfflineGrant>.history { $0.grantCommand(at: $1) }
        return [Step(command: open, at: begin)] + rest.make(&choices)
    }

    @Test("BrowserSession") func browserSession() throws {
        try holds(Step<BrowserSession>.history { $0.browserSessionCommand(at: $1) })
    }

    @Test("Subject") func subject() throws {
        try holds(Step<Subject>.history { $0.subjectCommand(at: $1) })
    }

    @Test("BiometricKey") func biometricKey() throws {
        try holds(Step<BiometricKey>.history { $0.biometricCommand(at: $1) })
    }

    @Test("ProjectConfig") func projectConfig() throws {
        try holds(Step<ProjectConfig>.history { $0.configCommand(at: $1) })
    }

    @Test("damaged bytes are no state, or one that is written back the same") func damage() throws {
        let damaged = Generator<[UInt8]> { choices in
            var session = OfflineGrant.Session(
                opening: choices.opening(subject: choices.subject(), at: choices.instant())
            )
            let family = OfflineGrant.Family(issue: choices.refreshToken(), at: choices.instant())
            session.families = [family]
            let open = OfflineGrant.State.open(Shared(session))
            var bytes = StateFormat.encode(open)?.bytes ?? []
            for _ in 0...choices.draw(below: 3) where !bytes.isEmpty {
                let index = Int(choices.draw(below: UInt64(bytes.count)))
                switch choices.draw(below: 3) {
                case 0: bytes.remove(at: index)
                case 1: bytes[index] = UInt8(choices.draw(below: 256))
                default: bytes.insert(bytes[index], at: index)
                }
            }
            return bytes
        }
        try forAll(damaged, runs: 2000) { bytes in
            guard let state = StateFormat.decode(bytes, as: OfflineGrant.self) else { return }
            let again = try #require(StateFormat.encode(state))
            #expect(StateFormat.decode(again.bytes, as: OfflineGrant.self) == state)
        }
    }
}
