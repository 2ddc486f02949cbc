import Domain
import InMemory
import Issuing
import Persistence
import Postgres
import Runtime
import TestSupport
import Testing

@Suite("Whom an append lane turns away") struct LaneOrderTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let priority: CommandRequest.Priority
        /// How long the oldest waiting command has waited, in ms.
        var behind: Int64 = 0
        /// How many wait.
        var waiting = 1
        let isTaken: Bool

        var testDescription: String {
            "\(priority) behind \(waiting), \(behind) ms: \(isTaken ? "taken" : "refused")"
        }
    }

    static let rows = [
        Row(priority: .starting, behind: 125, isTaken: true),
        Row(priority: .starting, behind: 126, isTaken: false),
        Row(priority: .usual, behind: 250, isTaken: true),
        Row(priority: .usual, behind: 251, isTaken: false),
        Row(priority: .ending, behind: 1000, isTaken: true),
        Row(priority: .ending, behind: 1001, isTaken: false),
        Row(priority: .starting, waiting: 815, isTaken: true),
        Row(priority: .starting, waiting: 816, isTaken: false),
        Row(priority: .usual, waiting: 917, isTaken: true),
        Row(priority: .usual, waiting: 918, isTaken: false),
        Row(priority: .ending, waiting: 1023, isTaken: true),
        Row(priority: .ending, waiting: 1024, isTaken: false),
    ]

    @Test("what begins something first, what ends something last", arguments: rows)
    func order(_ row: Row) throws {
        let lane = try SilentLane()
        lane.submit(.ending, at: 0)
        for _ in 0..<row.waiting { lane.submit(.ending, at: 1) }
        #expect(lane.refused.isEmpty)
        lane.submit(row.priority, at: 1 + row.behind)
        #expect(lane.refused == (row.isTaken ? [] : [row.priority]))
        let text = String(decoding: lane.metrics.render(), as: UTF8.self)
        let count = row.isTaken ? 0 : 1
        #expect(text.contains("append_shed_total{priority=\"\(row.priority)\"} \(count)\n"))
    }

    @Test("how many wait is told of all lanes together") func depth() throws {
        let metrics = Metrics()
        let told = PersistenceMetrics(metrics)
        let lanes = try [SilentLane(told), SilentLane(told)]
        // The first of a lane is on its way, the others wait.
        for _ in 0..<4 { lanes[0].submit(.usual, at: 0) }
        lanes[1].submit(.usual, at: 0)
        for _ in 0..<2 { lanes[1].submit(.usual, at: 1) }
        for _ in 0..<3 { lanes[0].submit(.usual, at: 1) }
        let text = String(decoding: metrics.render(), as: UTF8.self)
        #expect(text.contains("append_queue_depth 8\n"), "\(text)")
    }
}

/// A store with one lane, whose first call is never answered, on a loop that is stepped by hand.
private final class SilentLane {
    let metrics: Metrics
    private let loop: Loop
    private let store: PostgresEventStore
    private let entropy = SeededEntropy(seed: 1)
    private let begin = MonotonicInstant.now()
    private let project: ProjectNumber
    private let turnedAway = Guarded<[CommandRequest.Priority]>([])

    convenience init() throws {
        let metrics = Metrics()
        try self.init(PersistenceMetrics(metrics), in: metrics)
    }

    init(_ told: PersistenceMetrics, in metrics: Metrics = Metrics()) throws {
        self.metrics = metrics
        loop = try Loop(name: "lane")
        project = try #require(ProjectNumber(1))
        let silent = ScriptedConnection(loop: loop)
        store = PostgresEventStore(oneLane: silent, on: loop, told)
    }

    var refused: [CommandRequest.Priority] { turnedAway.current }

    func submit(_ priority: CommandRequest.Priority, at milliseconds: Int64) {
        let commit = Commit.registration(in: project, from: entropy, priority: priority)
        loop.post { [loop, store, turnedAway] in
            loop.spawn {
                do { try await store.append(commit, by: .after(.seconds(600))) } catch {
                    turnedAway.withLock { $0.append(priority) }
                }
            }
        }
        let now = begin.advanced(by: .milliseconds(milliseconds))
        while loop.isReady(at: now) { loop.step(at: now) }
    }
}
