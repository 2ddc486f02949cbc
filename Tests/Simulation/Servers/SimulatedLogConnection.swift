import Domain
import EventFormat
import Issuing
import Persistence
import Postgres
import Runtime

/// A process's way to the simulated database, under the real lanes and readers.
struct SimulatedLogConnection: LogConnection {
    let world: World
    let database: SimulatedDatabase
    let process: SimulatedProcess

    func start() {}
    func stop() {}

    func ask<Answer: Sendable>(
        by deadline: MonotonicInstant? = nil,
        _ serve: @escaping (@escaping (Answer) -> Void) -> Void
    ) async throws(PostgresError) -> Answer {
        let faults = ConnectionFaults<PostgresError>(
            notConnected: .notConnected,
            lost: .connectionLost,
            late: .deadlineExceeded(sent: true)
        )
        guard !process.isCutOff(from: .postgreSQL, at: world.nanoseconds) else {
            throw .notConnected
        }
        return try await world.ask(from: process, to: .postgreSQL, by: deadline, faults, serve)
    }

    func append(_ batch: AppendBatch, deadline: MonotonicInstant)
        async throws(PostgresError) -> [Int32]
    {
        let commands = batch.commands
        database.isSent(commands, by: process)
        if world.faults.strikes(.lateRequest) {
            let away = UInt64(1_000 + world.dice.draw(4_000))
            let end = world.nanoseconds + away * 1_000_000
            process.cutOff(from: .postgreSQL, until: end)
            world.send(afterMicroseconds: world.dice.draw(30_000_000)) { [database, world] in
                if !world.isOver { database.append(commands) { _ in } }
            }
            throw .connectionLost
        }
        let answer: [Int32]? = try await ask(by: deadline) { [database] answer in
            database.append(commands, answer)
        }
        // The backend died with its transaction: the client sees the connection go.
        guard let answer else { throw .connectionLost }
        return answer
    }

    func commands(at commands: [EncodedCommand], deadline: MonotonicInstant)
        async throws(PostgresError) -> [FoundCommand]
    {
        try await ask(by: deadline) { [database] answer in
            var found: [FoundCommand] = []
            for (index, command) in commands.enumerated() {
                guard let first = command.rows.first?.event else { continue }
                let rows = database.rows(of: first.stream, after: first.version - 1)
                if let row = rows.first {
                    found.append(FoundCommand(index: index, command: row.event.command))
                }
            }
            answer(found)
        }
    }

    func rows(of wanted: [WantedStream], deadline: MonotonicInstant)
        async throws(PostgresError) -> [StreamRow]
    {
        // A machine that is paused is paused in the middle of a command, too.
        if world.faults.strikes(.issuerFrozen) {
            world.freeze(process, milliseconds: 100 + world.dice.draw(4_000))
        }
        return try await ask(by: deadline) { [database] answer in
            answer(
                wanted.flatMap { one in
                    database.rows(of: one.stream, after: one.after).prefix(1000).map(Self.row)
                }
            )
        }
    }

    func heads(of streams: [StreamID], deadline: MonotonicInstant)
        async throws(PostgresError) -> [Int32]
    {
        try await ask(by: deadline) { [database] answer in
            answer(streams.map { database.head($0) })
        }
    }

    func history(of stream: StreamID, after version: Int32, deadline: MonotonicInstant)
        async throws(PostgresError) -> [StreamRow]
    {
        try await ask(by: deadline) { [database] answer in
            answer(database.rows(of: stream, after: version).map(Self.row))
        }
    }

    func opened(
        for subject: SubjectID,
        types: [Int16],
        before: Int64,
        limit: Int,
        deadline: MonotonicInstant
    ) async throws(PostgresError) -> [OpenedStream] {
        try await ask(by: deadline) { [database] answer in
            let found = database.rows.enumerated().reversed().filter { index, row in
                row.event.columns.subject == subject && types.contains(row.event.type)
                    && Int64(index) < before
            }
            answer(
                found.prefix(limit).compactMap { index, row in
                    let newest = database.rows.last { $0.event.stream == row.event.stream }
                    return OpenedStream(
                        row.event.stream,
                        opening: row.event.type,
                        at: Int64(index),
                        newest: newest?.event.type ?? row.event.type
                    )
                }
            )
        }
    }

    func position(of stream: StreamID, for subject: SubjectID, deadline: MonotonicInstant)
        async throws(PostgresError) -> Int64?
    {
        try await ask(by: deadline) { [database] answer in
            let first = database.rows.firstIndex { row in
                row.event.stream == stream && row.event.columns.subject == subject
            }
            answer(first.map(Int64.init))
        }
    }

    /// The database's clock is the true one.
    func time() async throws(PostgresError) -> Instant {
        try await ask { [world] answer in answer(world.wallTime) }
    }

    private static func row(_ row: SimulatedDatabase.Row) -> StreamRow {
        StreamRow(
            stream: row.event.stream,
            version: row.event.version,
            type: row.event.type,
            project: row.event.project.value,
            columns: row.event.columns,
            hash: row.hash.digest.bytes,
            payload: row.event.payload
        )
    }
}
