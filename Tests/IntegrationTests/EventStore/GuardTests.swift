import Domain
import Issuing
import Persistence
import TestSupport
import Testing

@Suite("Guards of a command", .timeLimit(.minutes(3)), .keepsClusterOnFailure) struct GuardTests {
    @Test("a guard holds: nothing is appended when the guarded stream has moved")
    func guards() async throws {
        try await StoreHarness.with(nodes: 2) { _, nodes in
            var guarded = try await nodes[0].register()
            let seen = guarded.guardian
            var other = try await nodes[1].register()
            try await nodes[1].append([.disabled(.operator)], to: &other, guards: [seen])
            try await nodes[0].append([.disabled(.operator)], to: &guarded)
            await #expect(throws: StoreError.conflict) {
                var late = other
                try await nodes[1].append([.enabled(at: .sample)], to: &late, guards: [seen])
            }
            #expect(try await nodes[1].store.areCurrent([guarded.guardian], by: .soon))
            #expect(try await !nodes[1].store.areCurrent([seen, other.guardian], by: .soon))
        }
    }

    @Test("the guards of a command are one statement for the database, up to their bound")
    func mostGuards() async throws {
        try await StoreHarness.with { _, nodes in
            var seen: [StreamGuard] = []
            var newest = try await nodes[0].register()
            #expect(Commit.guardsMax == 64)
            while seen.count < Commit.guardsMax {
                seen.append(newest.guardian)
                newest = try await nodes[0].register()
            }
            try await nodes[0].append([.disabled(.operator)], to: &newest, guards: seen)
            #expect(newest.version == 2)
            let another = newest.guardian
            var other = try await nodes[0].register()
            await #expect(throws: StoreError.self) {
                try await nodes[0].append(
                    [.disabled(.operator)],
                    to: &other,
                    guards: seen + [another]
                )
            }
            // Every one of them counts, not only the first.
            var moved = try await nodes[0].store.load(
                Subject.self,
                try #require(seen.last).stream,
                by: .soon
            )
            try await nodes[0].append([.disabled(.operator)], to: &moved)
            await #expect(throws: StoreError.conflict) {
                try await nodes[0].append([.disabled(.operator)], to: &other, guards: seen)
            }
        }
    }
}
