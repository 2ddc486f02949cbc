import Foundation
import Migrations
import Persistence
import Postgres
import Runtime
import TestSupport
import Testing

/// A migrated database of one test, on a loop of its own.
final class TestDatabase: Sendable {
    let name: String
    let loop: Loop
    private let cluster: PrivateCluster

    private init(_ name: String, on cluster: PrivateCluster, loop: Loop) {
        self.name = name
        self.cluster = cluster
        self.loop = loop
    }

    /// Runs `body` on a loop, with a database nobody else uses.
    static func with<Answer: Sendable>(
        migrated: Bool = true,
        _ body: @escaping @Sendable (TestDatabase) async throws -> Answer
    ) async throws -> Answer {
        let cluster = try PrivateCluster.running()
        let template = try await migrated ? templates.today() : "template0"
        let loop = try Loop.running()
        defer { loop.end() }
        return try await loop.answer {
            let name = "t\(UUID().uuidString.prefix(8).lowercased())"
            let database = TestDatabase(name, on: cluster, loop: loop)
            try await database.create(from: template)
            return try await body(database)
        }
    }

    /// Where this database is, for a role.
    func settings(as user: String? = nil) -> ConnectionSettings {
        Self.settings(name, on: cluster, as: user)
    }

    /// A new connection as a role, the superuser unless named; perhaps to another database.
    ///
    /// A role's time limits are lifted, unless a test is about them: a busy machine reaches any.
    func connect(
        as user: String? = nil,
        to other: String? = nil,
        liftsLimits: Bool = true
    ) async throws -> Connection {
        var settings = settings(as: user)
        settings.database = other ?? name
        let connection = try await Connection.connect(settings, on: loop, deadline: .soon)
        guard user != nil, liftsLimits else { return connection }
        let patience = "SET statement_timeout = '60s'; SET lock_timeout = '60s'"
        try await connection.run(script: Array(patience.utf8), deadline: .soon)
        return connection
    }

    /// Waits until a connection to this database waits for a lock.
    func untilOneWaits() async throws { try await untilSomeWait(1) }

    /// Waits until so many do.
    func untilSomeWait(_ count: Int64) async throws {
        let connection = try await connect()
        defer { connection.close() }
        let waiting = """
            SELECT count(*) FROM pg_stat_activity
             WHERE datname = current_database() AND wait_event_type = 'Lock'
            """
        let limit = MonotonicInstant.soon
        while try await connection.query(.number(waiting), deadline: .soon)[0] < count {
            try #require(MonotonicInstant.now() < limit, "fewer than \(count) wait")
            try await loop.sleep(until: .after(.milliseconds(5)))
        }
    }

    /// One a day: the first of a month finds other partitions than the day before has made.
    private static let templates = Daily { day in
        let name = "chancery_template_\(day)"
        let cluster = try PrivateCluster.running()
        let loop = try Loop.running()
        defer { loop.end() }
        try await loop.answer {
            try await TestDatabase(name, on: cluster, loop: loop).create(from: "template0")
            let settings = settings(name, on: cluster, as: nil)
            try await Migrator(Migrations.steps, on: settings, loop: loop).apply()
        }
        return name
    }

    private static func settings(
        _ name: String,
        on cluster: PrivateCluster,
        as user: String?
    ) -> ConnectionSettings {
        var settings = ConnectionSettings(
            host: cluster.socketDirectory,
            port: cluster.port,
            database: name,
            user: user ?? cluster.superuser,
            applicationName: "tests"
        )
        // A busy machine is not a lost server.
        settings.silenceMax = .seconds(60)
        return settings
    }

    private func create(from template: String) async throws {
        var settings = Self.settings("postgres", on: cluster, as: nil)
        settings.silenceMax = .seconds(60)
        let maintenance = try await Connection.connect(settings, on: loop, deadline: .soon)
        defer { maintenance.close() }
        let text = "CREATE DATABASE \(name) TEMPLATE \(template)"
        try await maintenance.run(script: Array(text.utf8), deadline: .after(.seconds(60)))
    }
}

extension Migrations {
    /// The steps as the migrator takes them.
    static var steps: [Migration] {
        all.compactMap { Migration(version: $0.version, name: $0.name, sql: $0.sql) }
    }
}

/// Something expensive that all tests of a day share and the first one makes.
private actor Daily {
    private let make: @Sendable (_ day: Int64) async throws -> String
    private var tasks: [Int64: Task<String, any Error>] = [:]

    init(_ make: @escaping @Sendable (_ day: Int64) async throws -> String) { self.make = make }

    func today() async throws -> String {
        let day = Int64(Date().timeIntervalSince1970) / 86_400
        let task = tasks[day] ?? Task { try await make(day) }
        tasks[day] = task
        return try await task.value
    }
}

extension MonotonicInstant {
    /// Late enough for anything a test waits for.
    static var soon: Self { after(.seconds(60)) }

    static func after(_ duration: Duration) -> Self { now().advanced(by: duration) }
}

extension Loop {
    /// Runs `body` on this loop and waits for its answer, from outside.
    ///
    /// It is cancelled with its caller: that is how the time limit of a test ends its waits.
    func answer<Answer: Sendable>(
        _ body: @escaping @Sendable () async throws -> Answer
    ) async throws -> Answer {
        let answer = Guarded<Result<Answer, any Error>?>(nil)
        let task = spawn {
            do {
                answer.replace(with: .success(try await body()))
            } catch {
                answer.replace(with: .failure(error))
            }
        }
        await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            task.cancel()
        }
        return try #require(answer.current).get()
    }
}

extension ConnectionKeeper {
    /// The connection, as soon as there is one: a busy machine takes longer than a statement waits.
    func ready() async throws -> Connection {
        let limit = MonotonicInstant.soon
        while true {
            do throws(PostgresError) { return try await connection(by: limit) } catch {
                guard error == .notConnected, MonotonicInstant.now() < limit else { throw error }
            }
        }
    }
}

extension Statement where Row == Int64 {
    /// A count, or another `bigint`, that a text without parameters asks for.
    static func number(_ sql: String) -> Self {
        Statement(once: sql) { row throws(PostgresError) in try row.int8(0) }
    }
}

extension Statement where Row == String {
    /// Texts that a text without parameters asks for.
    static func texts(_ sql: String) -> Self {
        Statement(once: sql) { row throws(PostgresError) in try row.text(0) }
    }
}
