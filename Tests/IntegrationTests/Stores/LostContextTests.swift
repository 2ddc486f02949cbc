import Domain
import Issuing
import Persistence
import Runtime
import TestSupport
import Testing

@Suite("Contexts that are lost", .timeLimit(.minutes(3)), .keepsClusterOnFailure)
struct LostContextTests {
    private static func context(_ node: StoreHarness, network: String) -> RequestContext {
        RequestContext(
            command: node.newCommand(),
            project: node.project,
            subject: nil,
            at: .sample,
            network: network,
            userAgent: "x"
        )
    }

    private static func lost(by node: StoreHarness) -> Counter {
        node.metrics.counter("chancery_contexts_lost_total", "")
    }

    @Test("those that do not fit are counted, and said once") func full() async throws {
        try await StoreHarness.with { _, nodes in
            let (node, said) = (nodes[0], SaidLog())
            let contexts = PostgresContextLog(node.database, node.metrics, log: said.log)
            // Nothing is written before this turn of the loop is over.
            for _ in 0..<PostgresContextLog.waitingMax + 7 {
                contexts.record(Self.context(node, network: "203.0.113.0/24"))
            }
            #expect(Self.lost(by: node).value == 7)
            #expect(said.end().split(separator: "\n").count == 1)
        }
    }

    @Test("so are those that the database does not take") func refused() async throws {
        try await StoreHarness.with { database, nodes in
            let (node, said) = (nodes[0], SaidLog())
            let contexts = PostgresContextLog(node.database, node.metrics, log: said.log)
            let lost = Self.lost(by: node)
            for _ in 0..<2 {
                for _ in 0..<3 { contexts.record(Self.context(node, network: "no network")) }
                let limit = MonotonicInstant.soon
                let before = lost.value
                while lost.value == before, .now() < limit {
                    try await database.loop.sleep(until: .after(.milliseconds(20)))
                }
            }
            #expect(lost.value == 6)
            let lines = said.end().split(separator: "\n")
            #expect(lines.count == 1)
            #expect(lines.first?.contains("where commands came from is not recorded") == true)
        }
    }
}
