import Domain
import EventFormat
import Foundation
import Kafka
import Messaging
import Persistence
import Postgres
import Publishing
import Runtime
import TestSupport
import Testing

/// A database, a broker and relays between them.
struct RelayBench: Sendable {
    let database: TestDatabase
    let kafka: KafkaBench
    let filler: LogFiller

    /// Runs `body` on the database's loop, with one project in the log.
    static func with(
        _ kind: KafkaBench.Kind,
        _ body: @escaping @Sendable (RelayBench) async throws -> Void
    ) async throws {
        try await TestDatabase.with { database in
            let kafka = try await KafkaBench(kind, topic: "relay", loop: database.loop)
            defer { if kind == .development { kafka.broker.stop() } }
            let filler = LogFiller(database: database)
            try await filler.addProject()
            try await body(RelayBench(database: database, kafka: kafka, filler: filler))
        }
    }

    /// Every event on the topic, in the order of each partition.
    func published() async throws -> [PublishedPlace] {
        try await kafka.readAll().compactMap { received in
            let record = PublishedRecord(
                key: received.key ?? [],
                headers: PublishedRecord.Headers(
                    bytes: received.headers.bytes,
                    ends: received.headers.ends
                ),
                value: received.value ?? []
            )
            if case .event(let place) = LogRecord(record) { return place }
            return nil
        }
    }

    /// How many rows the ledger has.
    func ledgerCount() async throws -> Int64 {
        let connection = try await database.connect()
        defer { connection.close() }
        return try await connection.query(
            .number("SELECT count(*) FROM es.ledger"),
            deadline: .soon
        ).first ?? -1
    }

    /// Waits until the ledger has `count` rows.
    func waitForLedger(_ count: Int64) async throws {
        let limit = MonotonicInstant.soon
        while try await ledgerCount() < count {
            try #require(MonotonicInstant.now() < limit, "the ledger does not reach \(count)")
            try await database.loop.sleep(until: .after(.milliseconds(20)))
        }
    }

    /// A relay inside this process.
    func relay() -> (
        relay: Relay<PostgresRelayLog, KafkaEventPublisher>, publisher: KafkaEventPublisher
    ) {
        let publisher = KafkaEventPublisher(
            KafkaTopic(kafka.settings, name: kafka.topic),
            partitions: TopicRules.partitions,
            on: database.loop,
            blocking: kafka.blocking,
            log: .discarding,
            allowsDevelopmentBroker: true
        )
        let relay = Relay(
            log: database.relayLog(topic: kafka.topic),
            publisher: publisher,
            clock: LoopClock(on: database.loop)
        )
        return (relay, publisher)
    }

    /// The program itself, which may have a way of its own to the broker.
    func process(over way: BrokerWay? = nil) throws -> RelayProcess {
        try RelayProcess(
            database: database.settings(as: "event_relay"),
            bootstrap: way?.address ?? kafka.broker.bootstrapServers,
            topic: kafka.topic
        )
    }

    /// What must hold of the topic: every event, each number once, versions and numbers ascending.
    func checkTopic() async throws {
        let places = try await published()
        let expected = try await filler.everything()
        var contents: [Int64: PublishedPlace] = [:]
        var versions: [StreamID: Int32] = [:]
        for place in places {
            guard let known = contents[place.index] else {
                contents[place.index] = place
                let stream = try #require(place.stream)
                let version = try #require(place.version)
                // First occurrences are in version order within the partition of the stream.
                #expect(versions[stream, default: 0] + 1 == version)
                versions[stream] = version
                continue
            }
            #expect(known == place, "one number, two contents")
        }
        #expect(contents.keys.sorted() == (0..<Int64(expected.count)).map(\.self))
        let found = contents.values.compactMap { place in
            place.stream.map { "\($0):\(place.version ?? 0)" }
        }
        #expect(Set(found) == expected)
        #expect(found.count == expected.count)
    }
}

extension RelayBench {
    /// Publishes a session of five versions behind the first event; then the database is without
    /// the last two, as after an asynchronous failover or a restore.
    func publishAndLoseEnd() async throws {
        let session = LogFiller.newStream()
        try await filler.append(LogFiller.session(session, versions: 1...5, ends: true))
        var (first, publisher) = relay()
        try await first.turns { try await ledgerCount() == 6 }
        await first.end()
        publisher.close()
        let superuser = try await database.connect()
        defer { superuser.close() }
        let script = """
            SET session_replication_role = replica;
            ALTER TABLE es.events DISABLE TRIGGER ALL;
            DELETE FROM es.events WHERE stream_id = '\(session)' AND version > 3;
            ALTER TABLE es.events ENABLE ALWAYS TRIGGER append_only;
            DELETE FROM es.ledger WHERE log_index >= 4;
            UPDATE es.relay_cursor SET next_index = 4, (xid, position) = (
              SELECT xid, position FROM es.ledger ORDER BY log_index DESC LIMIT 1);
            """
        try await superuser.run(script: Array(script.utf8), deadline: .soon)
    }
}

extension TestDatabase {
    /// A relay's session.
    func relayLog(topic: String = "events") -> PostgresRelayLog {
        PostgresRelayLog(
            settings(as: "event_relay"),
            topic: topic,
            on: loop,
            log: .discarding
        )
    }
}
