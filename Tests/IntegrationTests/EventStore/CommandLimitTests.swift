import Domain
import EventFormat
import Issuing
import Persistence
import TestSupport
import Testing

/// What the log takes in one command (Events 1), refused before it can harm others.
@Suite("The limits of a command", .timeLimit(.minutes(3)), .keepsClusterOnFailure)
struct CommandLimitTests {
    /// Appends it beside others, which are to be in, whatever becomes of it.
    ///
    /// - Returns: whether it was taken; otherwise it was refused for what it is.
    private static func isTaken(_ commit: Commit, by node: StoreHarness) async throws -> Bool {
        try await withThrowingTaskGroup(of: Void.self) { others in
            for _ in 0..<4 {
                others.addTask {
                    let beside = try await node.register()
                    #expect(beside.version == 1)
                }
            }
            do {
                try await node.patiently { try await node.store.append(commit, by: .soon) }
            } catch StoreError.corrupt {
                try await others.waitForAll()
                return false
            }
            try await others.waitForAll()
            return true
        }
    }

    @Test("64 events are taken, 65 are not") func events() async throws {
        try await StoreHarness.with { _, nodes in
            for count in [64, 65] {
                let subject = try await nodes[0].register()
                let events = (0..<count).map { number -> Subject.Event in
                    number.isMultiple(of: 2) ? .disabled(.operator) : .enabled(at: .sample)
                }
                let after = try #require(Subject.fold(events, from: subject.state))
                let commit = nodes[0].commit([
                    nodes[0].append(events, to: subject, after: after)
                ])
                #expect(try await Self.isTaken(commit, by: nodes[0]) == (count <= 64))
                let head = try await nodes[0].loadedNow(subject.stream)
                #expect(head.version == (count <= 64 ? 65 : 1))
            }
        }
    }

    @Test("64 streams are taken, 65 are not") func streams() async throws {
        try await StoreHarness.with { _, nodes in
            for count in [64, 65] {
                var subjects: [Loaded<Subject>] = []
                for _ in 0..<count { subjects.append(try await nodes[0].register()) }
                let commit = nodes[0].commit(try subjects.map { try nodes[0].toggled($0) })
                #expect(try await Self.isTaken(commit, by: nodes[0]) == (count <= 64))
                let head = try await nodes[0].loadedNow(try #require(subjects.last).stream)
                #expect(head.version == (count <= 64 ? 2 : 1))
            }
        }
    }

    @Test("16 KiB of payload are taken, more are not") func payload() async throws {
        try await StoreHarness.with { _, nodes in
            let fits = (12_000...12_288).filter {
                EventFormat.encode(Subject.wrap(.sealing($0))).payload.count <= 16 * 1024
            }
            let most = try #require(fits.last)
            for (count, fits) in [(most, true), (most + 1, false)] {
                let event = Subject.Event.sealing(count)
                let size = EventFormat.encode(Subject.wrap(event)).payload.count
                // Three bytes are four characters: one more byte may be two.
                #expect(abs(size - 16 * 1024) <= 2)
                let new = Loaded<Subject>.new(nodes[0].newStream())
                let after = try #require(Subject.fold([event], from: .absent))
                let commit = nodes[0].commit([nodes[0].append([event], to: new, after: after)])
                #expect(try await Self.isTaken(commit, by: nodes[0]) == fits)
                #expect(try await nodes[0].loadedNow(new.stream).version == (fits ? 1 : 0))
            }
        }
    }
}

extension StoreHarness {
    fileprivate func loadedNow(_ stream: StreamID) async throws -> Loaded<Subject> {
        try await patiently { try await store.loadCurrent(Subject.self, stream, by: .soon) }
    }
}

extension Subject.Event {
    /// One with so many sealed bytes.
    static func sealing(_ count: Int) -> Self {
        .registered(
            source: .operator,
            email: Sealed(bytes: [1] + Array(repeating: 7, count: count - 1)),
            emailVerified: true,
            at: .sample
        )
    }
}
