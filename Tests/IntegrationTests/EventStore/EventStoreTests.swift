import Crypto
import Domain
import EventFormat
import Issuing
import Persistence
import Postgres
import Runtime
import TestSupport
import Testing

@Suite("The event store", .timeLimit(.minutes(3)), .keepsClusterOnFailure) struct EventStoreTests {
    @Test("gives back what was appended, on every node") func roundTrip() async throws {
        try await StoreHarness.with(nodes: 2) { _, nodes in
            var subject = try await nodes[0].register()
            try await nodes[0].append([.disabled(.operator), .enabled(at: .sample)], to: &subject)
            let elsewhere = try await nodes[1].store.load(
                Subject.self,
                subject.stream,
                by: .soon
            )
            #expect(elsewhere.version == 3)
            #expect(elsewhere.state == subject.state)
            #expect(elsewhere.hash == subject.hash)
            #expect(elsewhere.occurredAt == .sample)
            #expect(elsewhere.isCurrent && !subject.isCurrent)
            let history = try await nodes[1].store.history(
                of: subject.stream,
                after: 0,
                by: .soon
            )
            #expect(
                history.map(\.body)
                    == [.registered(.sample), .disabled(.operator), .enabled(at: .sample)].map(
                        Subject.wrap
                    )
            )
            #expect(history.allSatisfy { $0.subject == SubjectID(subject.stream) })
        }
    }

    @Test("chains the hashes of a stream as the design says") func hashes() async throws {
        try await StoreHarness.with { database, nodes in
            var subject = try await nodes[0].register()
            try await nodes[0].append([.disabled(.operator)], to: &subject)
            let connection = try await database.connect()
            // Computed here from the columns alone, without the store's code.
            let sql = """
                SELECT bool_and(hash = sha256(
                  'chancery-event-1'::bytea || '\\x00'
                  || coalesce(lag, decode(repeat('00', 32), 'hex')) || uuid_send(stream_id)
                  || int4send(version) || int2send(type) || int2send(project)
                  || int8send((extract(epoch FROM occurred_at) * 1000000)::int8)
                  || uuid_send(command_id)
                  || coalesce(uuid_send(actor_id), zero) || coalesce(uuid_send(subject_id), zero)
                  || coalesce(uuid_send(client_id), zero) || coalesce(uuid_send(grant_id), zero)
                  || int4send(length(payload)) || payload
                  || int4send(length(metadata)) || metadata))::int::int8
                FROM (SELECT *, lag(hash) OVER (PARTITION BY stream_id ORDER BY version) AS lag,
                             decode(repeat('00', 16), 'hex') AS zero FROM es.events) AS e
                """
            #expect(try await connection.query(.number(sql), deadline: .soon) == [1])
        }
    }

    @Test("50 commands on 2 nodes want the same version: one gets it")
    func singleUse() async throws {
        try await StoreHarness.with(nodes: 2) { database, nodes in
            let subject = try await nodes[0].register()
            let wins = try await withThrowingTaskGroup(of: Bool.self) { group in
                for attempt in 0..<50 {
                    group.addTask {
                        let node = nodes[attempt % 2]
                        let commit = node.commit([try node.toggled(subject)])
                        do {
                            try await node.patiently {
                                try await node.store.append(commit, by: .soon)
                            }
                            return true
                        } catch StoreError.conflict { return false }
                    }
                }
                return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
            #expect(wins == 1)
            let head = try await nodes[0].store.loadCurrent(
                Subject.self,
                subject.stream,
                by: .soon
            )
            #expect(head.version == 2)
        }
    }

    @Test("the control: reading first and writing then lets several through")
    func singleUseControl() async throws {
        try await TestDatabase.with(migrated: false) { database in
            let first = try await database.connect()
            let make = "CREATE TABLE code (used boolean); INSERT INTO code VALUES (false)"
            try await first.run(script: Array(make.utf8), deadline: .soon)
            // Both have read before one of them writes.
            let second = try await database.connect()
            var wins = 0
            var unused: [Bool] = []
            for connection in [first, second] {
                let read = "SELECT used::int::int8 FROM code"
                unused.append(try await connection.query(.number(read), deadline: .soon) == [0])
            }
            for (connection, isUnused) in zip([first, second], unused) where isUnused {
                let use = Statement<Void>(once: "UPDATE code SET used = true")
                _ = try await connection.execute(use, deadline: .soon)
                wins += 1
            }
            #expect(wins == 2)
        }
    }

    @Test("a command over several streams is in on all of them or on none")
    func allOrNothing() async throws {
        try await StoreHarness.with { _, nodes in
            let node = nodes[0]
            let first = try await node.register()
            let second = try await node.register()
            var moved = second
            try await node.append([.disabled(.operator)], to: &moved)
            let both = [try node.toggled(first), try node.toggled(second)]
            await #expect(throws: StoreError.conflict) {
                try await node.store.append(node.commit(both), by: .soon)
            }
            let after = try await node.store.loadCurrent(Subject.self, first.stream, by: .soon)
            #expect(after.version == 1)
        }
    }

    @Test("a stale state is told by the append, and read afresh after it")
    func staleness() async throws {
        try await StoreHarness.with(nodes: 2) { _, nodes in
            var here = try await nodes[0].register()
            let there = try await nodes[1].store.load(Subject.self, here.stream, by: .soon)
            try await nodes[0].append([.disabled(.operator)], to: &here)
            let cached = try await nodes[1].store.load(Subject.self, here.stream, by: .soon)
            #expect(cached.version == 1 && !cached.isCurrent)
            let current = try await nodes[1].store.loadCurrent(
                Subject.self,
                here.stream,
                by: .soon
            )
            #expect(current.version == 2 && current.isCurrent)
            await #expect(throws: StoreError.conflict) {
                try await nodes[1].store.append(
                    nodes[1].commit([nodes[1].toggled(there)]),
                    by: .soon
                )
            }
            nodes[0].store.hint(here.stream)
            let hinted = try await nodes[0].store.load(Subject.self, here.stream, by: .soon)
            #expect(hinted.version == 2 && hinted.isCurrent)
        }
    }

    @Test("a stream that does not exist is at version 0") func absence() async throws {
        try await StoreHarness.with { _, nodes in
            let loaded = try await nodes[0].store.load(
                Subject.self,
                nodes[0].newStream(),
                by: .soon
            )
            #expect(loaded.version == 0 && loaded.state == .absent && loaded.hash == nil)
        }
    }

    @Test("a stream of another kind is as one that never was, guarded at its own version")
    func otherKind() async throws {
        try await StoreHarness.with(nodes: 2) { _, nodes in
            var subject = try await nodes[0].register()
            try await nodes[0].append([.disabled(.operator)], to: &subject)
            for node in nodes {  // One has it in its cache, the other has not.
                let loaded = try await node.store.load(Consent.self, subject.stream, by: .soon)
                #expect(loaded.state == .absent && loaded.version == 2 && loaded.isCurrent)
                #expect(try await node.store.areCurrent([loaded.guardian], by: .soon))
                let current = try await node.store.loadCurrent(
                    Consent.self,
                    subject.stream,
                    by: .soon
                )
                #expect(current.state == .absent && current.version == 2)
                await #expect(throws: StoreError.corrupt(subject.stream, version: 2)) {
                    try await node.store.append(
                        node.commit([try node.given(on: loaded.guardian, after: loaded.hash)]),
                        by: .soon
                    )
                }
            }
        }
    }

    @Test("an event of another kind within a stream is damage, and stays with its own requests")
    func damage() async throws {
        try await StoreHarness.with { _, nodes in
            let node = nodes[0]
            let subject = try await node.register()
            try await node.store.append(
                node.commit([try node.given(on: subject.guardian, after: subject.hash)]),
                by: .soon
            )
            node.store.forget(subject.stream)
            await #expect(throws: StoreError.corrupt(subject.stream, version: 2)) {
                _ = try await node.store.load(Subject.self, subject.stream, by: .soon)
            }
            let other = try await node.register()
            #expect(other.version == 1)
        }
    }

    @Test("finds the streams of a subject, newest first, of the kinds asked for")
    func subjectStreams() async throws {
        try await StoreHarness.with { _, nodes in
            let node = nodes[0]
            let subject = SubjectID(node.newStream())
            var streams: [StreamID] = []
            let client = try #require(ClientID("app"))
            for _ in 0..<3 {
                let stream = node.newStream()
                let given = Consent.Event.given(client, try #require(Scope("openid")))
                var commit = node.commit([
                    StreamAppend(
                        stream: stream,
                        kind: .consent,
                        expected: 0,
                        previousHash: nil,
                        occurredAt: .sample,
                        events: [Consent.wrap(given)],
                        stateAfter: Consent.State.absent
                    )
                ])
                commit.attributes.subject = subject
                try await node.store.append(commit, by: .soon)
                streams.insert(stream, at: 0)
            }
            let found = try await node.store.streams(
                of: subject,
                kinds: [.consent],
                limit: 2,
                by: .soon
            )
            #expect(found == Array(streams.prefix(2)))
            let others = try await node.store.streams(
                of: subject,
                kinds: [.subject],
                limit: 2,
                by: .soon
            )
            #expect(others.isEmpty)
        }
    }

    @Test("a commit that breaks a limit of the log is refused before it can harm others")
    func limits() async throws {
        try await StoreHarness.with { _, nodes in
            var commit = nodes[0].commit([try nodes[0].toggled(await nodes[0].register())])
            commit.attributes.reason = String(repeating: "x", count: 3000)
            await #expect(throws: StoreError.self) {
                try await nodes[0].store.append(commit, by: .soon)
            }
            commit = nodes[0].commit([])
            await #expect(throws: StoreError.self) {
                try await nodes[0].store.append(commit, by: .soon)
            }
        }
    }

    @Test("tells the relay after a commit") func notification() async throws {
        try await StoreHarness.with { database, nodes in
            let listener = try await database.connect(as: "event_relay")
            let heard = Guarded(false)
            listener.onNotification = { channel in heard.replace(with: channel == "es") }
            _ = try await listener.execute(Statement<Void>(once: "LISTEN es"), deadline: .soon)
            _ = try await nodes[0].register()
            let limit = MonotonicInstant.soon
            while !heard.current, .now() < limit {
                try await database.loop.sleep(until: .after(.milliseconds(2)))
            }
            #expect(heard.current)
        }
    }
}
