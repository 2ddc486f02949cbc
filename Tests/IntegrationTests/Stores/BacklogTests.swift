import Domain
import Issuing
import Persistence
import Postgres
import Runtime
import TestSupport
import Testing

@Suite("Maintenance with too much to do", .timeLimit(.minutes(3)), .keepsClusterOnFailure)
struct BacklogTests {
    /// More old contexts than eight seconds are enough for, and one old snapshot.
    private static let backlog = """
        CREATE FUNCTION public.dawdle() RETURNS trigger LANGUAGE plpgsql AS
          'BEGIN PERFORM pg_sleep(1); RETURN NULL; END';
        CREATE TRIGGER dawdle AFTER DELETE ON es.contexts
          FOR EACH STATEMENT EXECUTE FUNCTION public.dawdle();
        INSERT INTO es.contexts (command_id, project, at)
        SELECT gen_random_uuid(), 1, now() - interval '91 days' FROM generate_series(1, 12000);
        INSERT INTO es.snapshots (stream_id, version, hash, format, state, mac)
        VALUES ((left(es.uuid7_floor(now() - interval '800 days')::text, 15)
                 || '000-8000-000000000001')::uuid, 1, sha256('x'), 1, '', sha256('y'));
        """

    @Test("a backlog of one part keeps none behind it waiting") func backlog() async throws {
        try await StoreHarness.with { database, nodes in
            let owner = try await database.connect()
            defer { owner.close() }
            try await owner.run(script: Array(Self.backlog.utf8), deadline: .soon)
            let clock = ServerClock(nodes[0].database, on: database.loop, log: .discarding) {
                Instant(microseconds: WallTime.nowMicroseconds())
            }
            let maintenance = PostgresMaintenance(nodes[0].database, by: clock, Metrics())
            let outcome = await maintenance.run(by: .after(.seconds(8)))
            #expect(outcome.failures.count == 1, "\(outcome.failures)")
            #expect(outcome.failures.first?.hasPrefix("contexts") == true)
            #expect(try await owner.count("SELECT count(*) FROM es.contexts") > 0)
            #expect(try await owner.count("SELECT count(*) FROM es.snapshots") == 0)
        }
    }
}
