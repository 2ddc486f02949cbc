import Foundation
@testable import Postgres
import Runtime
import TestSupport
import Testing

/// A database's name with several addresses.
@Suite("Addresses of a database", .timeLimit(.minutes(1))) struct AddressTests {
    private static let settings = ConnectionSettings(
        host: "db.example.com",
        database: "x",
        user: "x",
        protection: .verified(authoritiesPath: "/ca.pem"),
        applicationName: "x"
    )

    @Test("libpq hears all of them, each with the name that its certificate must have")
    func keywords() {
        var settings = Self.settings
        settings.addresses = ["10.0.0.1", "10.0.0.2"]
        let words = Self.words(settings)
        #expect(words["host"] == "db.example.com,db.example.com")
        #expect(words["hostaddr"] == "10.0.0.1,10.0.0.2")
        #expect(words["port"] == "5432")
        #expect(words["target_session_attrs"] == "read-write")
    }

    @Test("libpq hears that the server must prove its name, and reads no file of a home")
    func protection() {
        var settings = Self.settings
        #expect(Self.words(settings)["channel_binding"] == nil)
        settings.password = Secret([1])
        let words = Self.words(settings)
        #expect(words["sslmode"] == "verify-full" && words["sslrootcert"] == "/ca.pem")
        #expect(words["channel_binding"] == "require")
        #expect(words["gssencmode"] == "disable")
        #expect(words["passfile"] == "/dev/null/none")
        // It would stand where everybody can ask for it.
        #expect(words["password"] == nil)
    }

    private static func words(_ settings: ConnectionSettings) -> [String: String] {
        Dictionary(uniqueKeysWithValues: settings.keywords.map { ($0.name, $0.value) })
    }

    @Test("each attempt begins with another, so that a silent one holds up one attempt")
    func turns() {
        let firsts = (0..<4).map { NameResolution.turned(["a", "b", "c"], by: $0) }
        #expect(firsts == [["a", "b", "c"], ["b", "c", "a"], ["c", "a", "b"], ["a", "b", "c"]])
        #expect(NameResolution.turned(["a"], by: 7) == ["a"])
    }

    @Test("who asks for a name that is looked up already hears that answer, and begins elsewhere")
    func shared() async throws {
        let loop = try Loop.running()
        defer { loop.end() }
        let asked = Guarded<[String]>([])
        let isFree = Guarded(false)
        let resolution = NameResolution(on: BlockingExecutor()) { host in
            asked.withLock { $0.append(host) }
            while !isFree.current { Thread.sleep(forTimeInterval: 0.001) }
            return .success(["10.0.0.1", "10.0.0.2"])
        }
        let firsts = Guarded<[String?]>([])
        for _ in 0..<4 {
            loop.spawn {
                let found = try? await resolution.addresses(of: "db.test")
                firsts.withLock { $0.append(found?.first) }
            }
        }
        // All four have asked by then.
        try await loop.answer { try await loop.sleep(until: .after(.milliseconds(50))) }
        isFree.replace(with: true)
        try await Waiting.until("all have heard it") { firsts.current.count == 4 }
        #expect(asked.current == ["db.test"])
        #expect(Set(firsts.current) == ["10.0.0.1", "10.0.0.2"])
        // The next is another look-up.
        _ = try await loop.answer { try await resolution.addresses(of: "db.test") }
        #expect(asked.current.count == 2)
    }

    @Test("who waits for a name hears it though the loop of who asked first stands still")
    func standstill() async throws {
        // Nobody turns it after its first has asked.
        let still = try Loop(name: "still")
        let loop = try Loop.running()
        defer { loop.end() }
        let asked = Guarded(0)
        let isFree = Guarded(false)
        let resolution = NameResolution(on: BlockingExecutor()) { _ in
            asked.withLock { $0 += 1 }
            while !isFree.current { Thread.sleep(forTimeInterval: 0.001) }
            return .success(["10.0.0.1"])
        }
        still.post { still.spawn { _ = try? await resolution.addresses(of: "db.test") } }
        while still.isReady(at: .now()) { still.step(at: .now()) }
        try await Waiting.until("the first has asked") { asked.current == 1 }
        let heard = Guarded<[String]?>(nil)
        loop.spawn {
            let found = try? await resolution.addresses(of: "db.test")
            heard.replace(with: found)
        }
        // It has asked by then.
        try await loop.answer { try await loop.sleep(until: .after(.milliseconds(50))) }
        isFree.replace(with: true)
        try await Waiting.until("the second has heard it") { heard.current == ["10.0.0.1"] }
        #expect(asked.current == 1)
        // So that no task is left behind.
        try await Waiting.until("the first can go on") { still.isReady(at: .now()) }
        while still.isReady(at: .now()) { still.step(at: .now()) }
    }

    @Test("seconds that the look-up of a name takes are not taken from the connection's")
    func slowName() async throws {
        // It lets everybody connect, and says nothing.
        let listener = try Sockets.listen(at: .loopback(port: 0))
        defer { Sockets.close(listener) }
        let loop = try Loop.running()
        defer { loop.end() }
        let executor = BlockingExecutor()
        let isFree = Guarded<MonotonicInstant?>(nil)
        let took = try await loop.answer {
            for _ in 0..<BlockingExecutor.threadCount {
                loop.spawn {
                    _ = try? await executor.run {
                        Thread.sleep(forTimeInterval: 1.5)
                        isFree.withLock { $0 = $0 ?? .now() }
                    }
                }
            }
            // Behind them: no thread is free before.
            try await loop.sleep(until: .after(.milliseconds(100)))
            var settings = ConnectionSettings(
                host: "localhost",
                database: "x",
                user: "x",
                applicationName: "x"
            )
            settings.port = Sockets.localAddress(of: listener).port
            settings.resolution = NameResolution(on: executor)
            await #expect(throws: PostgresError.deadlineExceeded(sent: false)) {
                _ = try await Connection.connect(settings, on: loop, deadline: .after(.seconds(1)))
            }
            return MonotonicInstant.now().since(try #require(isFree.current))
        }
        #expect(took >= .milliseconds(500), "\(took)")
    }
}
