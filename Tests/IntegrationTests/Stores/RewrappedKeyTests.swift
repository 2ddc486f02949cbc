import Domain
import Issuing
import Persistence
import Postgres
import Runtime
import TestSupport
import Testing

/// `es.sealing_keys` as another key encryption key takes over (decision 0206).
@Suite("Sealing keys that are wrapped anew", .timeLimit(.minutes(2)))
struct RewrappedKeyTests {
    private static func anew(_ found: WrappedSealingKey) -> RewrappedKey {
        var anew = found
        anew.wrapped = [UInt8](repeating: 9, count: 61)
        anew.kekVersion = 77
        return RewrappedKey(found: found, anew: anew)
    }

    @Test("page by page, by id, each once; what was destroyed or changed meanwhile stays")
    func pages() async throws {
        try await StoreHarness.with { database, nodes in
            let (node, pages) = (nodes[0], PostgresWrappedKeys(nodes[0].database))
            let store = PostgresSealingKeyStore(node.database)
            let owner = try await database.connect()
            defer { owner.close() }
            let script = """
                INSERT INTO es.sealing_keys (key_id, project, kek_version, wrapped, commitment)
                SELECT ('80000000-0000-8000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, 1, 1,
                       decode(repeat('07', 61), 'hex'), sha256('x')
                  FROM generate_series(1, 1200) AS n
                """
            try await owner.run(script: Array(script.utf8), deadline: .soon)
            let first = try await pages.page(otherThan: 77, after: nil, by: .soon)
            #expect(first.count == 500 && first == first.sorted { $0.id < $1.id })
            let (destroyed, changed) = (first[0], first[1])
            try await database.destroyKey(destroyed.id)
            var stale = Self.anew(changed)
            stale.found.wrapped = [UInt8](repeating: 8, count: 61)
            let keys = first.map { $0 == changed ? stale : Self.anew($0) }
            #expect(try await pages.replace(keys, by: .soon) == 498)
            #expect(try await store.find(destroyed.id, by: .soon)?.wrapped == nil)
            #expect(try await store.find(changed.id, by: .soon) == changed)
            #expect(try await store.find(first[2].id, by: .soon) == Self.anew(first[2]).anew)
            var (last, count) = (first.last?.id, 0)
            while true {
                let page = try await pages.page(otherThan: 77, after: last, by: .soon)
                guard let end = page.last else { break }
                last = end.id
                count += try await pages.replace(page.map(Self.anew), by: .soon)
            }
            #expect(count == 700)
            // Of pages where all is done, the last row alone: no statement reads more than a page.
            var found: [[WrappedSealingKey]] = []
            last = nil
            while true {
                let page = try await pages.page(otherThan: 77, after: last, by: .soon)
                guard let end = page.last else { break }
                last = end.id
                found.append(page)
            }
            #expect(found.map(\.count) == [2, 1, 1] && found[0][0] == changed)
        }
    }
}
