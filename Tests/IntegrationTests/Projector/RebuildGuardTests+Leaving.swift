import Persistence
import Postgres
import TestSupport
import Testing

/// A client that left again has one row, which moved to its last number.
extension RebuildGuardTests {
    @Test("not while it has a client's end as it was before the client left again")
    func leftAgain() async throws {
        try await Self.with { database, owner in
            let filler = LogFiller(database: database)
            try await filler.addProject()
            try await Self.run(Self.recorded, on: owner)
            let rebuild = Self.rebuild(of: database)
            defer { rebuild.close() }
            _ = try await rebuild.begin(restart: false)
            while try await rebuild.step() {}
            try await ReadModelTests.prepareLeaving(on: owner)
            // The client left as number 0, which both have, and again as 1, which one has.
            try await ReadModelTests.leaves(at: 0, tokensBefore: "2026-01-01", on: owner)
            try await Self.run(Self.copied, on: owner)
            try await ReadModelTests.leaves(at: 1, tokensBefore: "2026-01-02", on: owner)
            let reached = "UPDATE revocation.progress SET frontier = 1"
            try await Self.run(reached, on: owner)
            #expect(try await rebuild.finish(on: "c", offsets: [0: 2]) == nil)
            let stream = LogFiller.newStream()
            try await filler.append(LogFiller.session(stream, versions: 1...1, ends: false))
            try await Self.run(Self.recorded, on: owner)
            while try await rebuild.step() {}
            try await Self.run(Self.copied, on: owner)
            let difference = try #require(try await rebuild.finish(on: "c", offsets: [0: 2]))
            // Who reads the feed is told nothing again.
            #expect(difference.added == 0)
            let late = "SELECT count(*) FROM revocation.revocations WHERE late_number IS NOT NULL"
            #expect(try await owner.count(late) == 0)
            let last = "SELECT log_index FROM revocation.revocations"
            #expect(try await owner.count(last) == 1)
        }
    }

    /// The revocations of the model in service, as a rebuild that has come as far has them.
    private static let copied = """
        DELETE FROM revocation_g2.revocations;
        INSERT INTO revocation_g2.revocations SELECT * FROM revocation.revocations
        """
}
