import Assembly
import Configuration
import Foundation
import Messaging
import Runtime
import TestSupport
import Testing

/// What keeps a process from brokers and topics that it must not use, also when they come late.
@Suite("What the gate of topics lets through", .timeLimit(.minutes(2))) struct TopicGateTests {
    @Test("brokers that are away are asked until they answer") func late() async throws {
        let bench = try await KafkaBench(.development, topic: "gate")
        try await bench.run { bench in
            let text = """
                kafka:
                  bootstrap: "\(bench.broker.bootstrapServers)"
                  events_topic: "\(bench.topic)"
                  topology: single-node

                """
            let document = try SettingsDocument(Array(text.utf8))
            let file = try Self.file()
            defer { try? FileManager.default.removeItem(at: file) }
            let handle = try FileHandle(forWritingTo: file)
            let writer = LogWriter(descriptor: handle.fileDescriptor, level: .warning)
            let gate = TopicGate(
                KafkaSettings(document.root),
                [.events],
                clientID: "gate-test",
                isInsecureDev: false,
                on: bench.blocking,
                log: Log(writer)
            )
            bench.broker.kill()
            let answer = Guarded<String?>(nil)
            bench.loop.spawn { answer.replace(with: await gate.watch(on: bench.loop)) }
            // It has asked in vain once.
            while try Data(contentsOf: file).isEmpty {
                writer.flush()
                try await bench.loop.sleep(until: .after(.milliseconds(50)))
            }
            #expect(answer.current == nil)
            try bench.broker.restart()
            while answer.current == nil {
                try await bench.loop.sleep(until: .after(.milliseconds(50)))
            }
            // These may be used by nobody but a developer.
            #expect(try #require(answer.current).contains("development broker"))
        }
    }

    @Test("topics that were right are looked at again, and what is wrong is said each time")
    func later() async throws {
        let loop = try Loop.running()
        let asked = Guarded(0)
        let found = Guarded<[String]>([])
        let file = try Self.file()
        defer { try? FileManager.default.removeItem(at: file) }
        let handle = try FileHandle(forWritingTo: file)
        let writer = LogWriter(descriptor: handle.fileDescriptor, level: .warning)
        let gate = TopicGate(lookAgainEvery: .milliseconds(1), log: Log(writer)) {
            let count = asked.withLock { count in
                count += 1
                return count
            }
            switch count {
            case 1, 2: return .right
            case 3: return .unknown("missing: t")
            default: return .refused("made anew with one copy")
            }
        }
        try await loop.answer {
            let first = await gate.watch(on: loop)
            #expect(first == nil && asked.current == 1)
            loop.spawn {
                await gate.lookAgain(on: loop) { why in found.withLock { $0.append(why) } }
            }
            while found.current.count < 2 {
                try? await loop.sleep(until: .after(.milliseconds(1)))
            }
        }
        #expect(asked.current >= 5)
        #expect(found.current.allSatisfy { $0.contains("one copy") })
        // That one is a reason to say it, and to end nobody.
        writer.flush()
        #expect(try String(contentsOf: file, encoding: .utf8).contains("missing: t"))
        loop.end()
    }

    @Test("a process says at its start that brokers elsewhere do not know who it is")
    func unnamed() async throws {
        let file = try Self.file()
        defer { try? FileManager.default.removeItem(at: file) }
        let handle = try FileHandle(forWritingTo: file)
        let writer = LogWriter(descriptor: handle.fileDescriptor, level: .warning)
        for hidesIdentity in [false, true] {
            let gate = TopicGate(hidesIdentity: hidesIdentity, log: Log(writer)) { .right }
            for component in [true, false] {
                let loop = try Loop(name: "gate")
                let started =
                    component ? gate.component(on: loop) : gate.component(on: loop, refused: {})
                #expect(Lifecycle.check(on: loop, log: .discarding, [started]) == .success)
            }
            writer.flush()
            let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
            #expect(lines.count == (hidesIdentity ? 2 : 0), "\(lines)")
            #expect(lines.allSatisfy { $0.contains("kafka.tls_certificate_file") }, "\(lines)")
        }
    }

    /// A new one for a log.
    private static func file() throws -> URL {
        let file = FileManager.default.temporaryDirectory
            .appending(path: "chancery-gate-\(UUID().uuidString.prefix(8).lowercased())")
        try Data().write(to: file)
        return file
    }
}
