import Domain
import EventFormat
import TestSupport
import Testing

@Suite("Snapshots") struct SnapshotProperties {
    /// A history may be cut anywhere: the state kept there and the rest of the events give the
    /// state that all events give.
    private func holds<A: Aggregate>(_ histories: Generator<[Step<A>]>) throws
    where A.State: Equatable {
        try forAll(histories, Generator.integers(0...12), runs: 1000) { steps, cut in
            var state = A.initial
            var kept: A.State?
            var tail: [A.Event] = []
            for (index, step) in steps.enumerated() {
                let events = (try? A.decide(step.command, in: state)) ?? []
                state = try #require(A.fold(events, from: state))
                if kept != nil { tail += events }
                if index == cut, state != A.initial { kept = try Self.kept(state, A.self) }
            }
            if let kept { #expect(A.fold(tail, from: kept) == state) }
        }
    }

    private static func kept<A: Aggregate>(_ state: A.State, _: A.Type) throws -> A.State {
        let stored = try #require(StateFormat.encode(state), "a state that cannot be kept")
        #expect(stored.format == StateFormat.number(for: A.self))
        return try #require(StateFormat.decode(stored.bytes, as: A.self))
    }

    @Test("OfflineGrant") func offlineGrant() throws {
        try holds(Step<OfflineGrant>.history { $0.grantCommand(at: $1) })
    }

    @Test("BrowserSession") func browserSession() throws {
        try holds(Step<BrowserSession>.history { $0.browserSessionCommand(at: $1) })
    }

    @Test("Subject") func subject() throws {
        try holds(Step<Subject>.history { $0.subjectCommand(at: $1) })
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
            var bytes = StateFormat.encode(OfflineGrant.State.open(session))?.bytes ?? []
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
