import Domain
import Issuing
import Persistence
import Runtime
import TestSupport
import Testing

@Suite("The event store of two loops", .timeLimit(.minutes(3)), .keepsClusterOnFailure)
struct EventStoreLoopsTests {
    private static let streams = 4
    private static let commandsPerLoop = 60

    @Test("commands of both loops at the same streams never conflict: they take turns")
    func turns() async throws {
        try await TestDatabase.with { database in
            let second = try Loop.running()
            defer { second.end() }
            let node = try StoreHarness(database, loops: [database.loop, second])
            defer { node.stop() }
            try await node.untilReady()
            try await second.answer { try await node.untilReady() }
            var streams: [StreamID] = []
            for _ in 0..<Self.streams { streams.append(try await node.register().stream) }
            let all = streams
            async let here: Void = Self.toggle(node, all)
            async let there: Void = second.answer { try await Self.toggle(node, all) }
            _ = try await (here, there)
            var versions: Int32 = 0
            for stream in streams {
                versions += try await node.store.loadCurrent(
                    Subject.self,
                    stream,
                    by: .soon
                ).version
            }
            #expect(versions == Int32(Self.streams + 2 * Self.commandsPerLoop))
        }
    }

    /// Every command is the first to want its version, or the store lets two at a stream at once.
    private static func toggle(_ node: StoreHarness, _ streams: [StreamID]) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<commandsPerLoop {
                group.addTask {
                    let stream = streams[number % streams.count]
                    try await node.store.enter(stream, by: .soon)
                    defer { node.store.leave(stream) }
                    let subject = try await node.store.load(Subject.self, stream, by: .soon)
                    let commit = node.commit([try node.toggled(subject)])
                    try await node.patiently { try await node.store.append(commit, by: .soon) }
                }
            }
            try await group.waitForAll()
        }
    }
}
