import Domain
import EventFormat
import OAuth
import Projections
import TestSupport
import Testing

@Suite("Stored events") struct EventFormatProperties {
    @Test("are read as they were written") func roundTrip() throws {
        try forAll(StoredCase.any, runs: 2000) { stored in
            let (type, payload) = EventFormat.encode(stored.event)
            let read = try EventFormat.decode(
                type: type,
                payload: payload,
                columns: stored.columns
            )
            #expect(read == stored.event)
            #expect(EventFormat.encode(read).payload == payload)
        }
    }

    @Test("are canonical JSON of known members") func canonical() throws {
        try forAll(StoredCase.any, runs: 1000) { stored in
            let payload = try CanonicalJSON.read(EventFormat.encode(stored.event).payload)
            let allowed = stored.event.storedType.members
            for member in payload.members ?? [] {
                #expect(allowed.contains { $0.name == member.name }, "\(member.name)")
            }
            for member in allowed where !member.isOptional {
                #expect(payload[member.name] != nil, "\(member.name)")
            }
        }
    }

    static let damaged = Generator<(StoredCase, [UInt8])> { choices in
        let stored = StoredCase.any.make(&choices)
        var payload = EventFormat.encode(stored.event).payload
        for _ in 0...choices.draw(below: 3) where !payload.isEmpty {
            let index = Int(choices.draw(below: UInt64(payload.count)))
            switch choices.draw(below: 3) {
            case 0: payload.remove(at: index)
            case 1: payload[index] = UInt8(choices.draw(below: 256))
            default: payload.insert(payload[index], at: index)
            }
        }
        return (stored, payload)
    }

    /// Of a superseded version, whose payload a step turns into the newest one's.
    @Test("mean the same as a tree and where they stand, or are refused alike")
    func standing() throws {
        forAll(Self.damaged, runs: 2000) { stored, payload in
            let type = stored.event.storedType.rawValue
            let steps: [Int16: Upcasting.Step] = [0: { (type: type, payload: $0) }]
            let results = [type, 0].map { number in
                Result { () throws(FormatError) in
                    try EventFormat.decode(
                        type: number,
                        payload: payload,
                        columns: stored.columns,
                        by: steps
                    )
                }
            }
            #expect(results[0] == results[1])
        }
    }

    @Test("damaged leave as a part of themselves or not at all") func published() throws {
        try forAll(Self.damaged, runs: 2000) { stored, payload in
            var row = Self.row(of: stored)
            row.payload = payload
            guard let record = try? PublishedForm.record(of: row, at: Self.place) else { return }
            let allowed = stored.event.storedType.members.filter { $0.mark == .published }
            let members = try CanonicalJSON.read(payload).members ?? []
            let left = members.filter { member in allowed.contains { $0.name == member.name } }
            #expect(record.value == CanonicalJSON.write(.object(left)))
        }
    }

    private static func row(of stored: StoredCase) -> StoredEvent {
        let (type, payload) = EventFormat.encode(stored.event)
        return StoredEvent(
            project: Sample.number(1),
            stream: Sample.stream(9),
            version: 3,
            type: type,
            command: CommandID(Sample.stream(8)),
            actor: nil,
            columns: stored.columns,
            payload: payload,
            metadata: EventMetadata(
                actor: .system,
                correlation: Sample.stream(7),
                node: "n"
            ).encoded()
        )
    }

    private static let place = PublishedForm.Place(
        log: Sample.stream(6),
        logIndex: 5,
        projectName: Sample.project("shop"),
        hash: EventHash(digest: Sample.digest(4)),
        relayEpoch: 1
    )

    @Test("damaged are refused or mean something, and never trap") func damage() throws {
        try forAll(Self.damaged, runs: 2000) { stored, payload in
            let type = stored.event.storedType.rawValue
            let read: DomainEvent
            do {
                read = try EventFormat.decode(
                    type: type,
                    payload: payload,
                    columns: stored.columns
                )
            } catch { return }
            let again = EventFormat.encode(read)
            #expect(again.type == type)
            let second = try EventFormat.decode(
                type: type,
                payload: again.payload,
                columns: stored.columns
            )
            #expect(second == read)
        }
    }

    @Test("give the same rows from the log and from Kafka") func projections() throws {
        try forAll(StoredCase.any, runs: 1000) { stored in
            let record = try PublishedForm.record(of: Self.row(of: stored), at: Self.place)
            let published = try PublishedForm.read(record) { _ in Sample.number(1) }.event
            let recorded = RecordedEvent(
                logIndex: 5,
                project: Sample.number(1),
                stream: Sample.stream(9),
                version: 3,
                occurredAt: stored.columns.occurredAt,
                subject: stored.columns.subject,
                session: stored.columns.session,
                body: stored.event
            )
            #expect(Revocations.changes(for: published) == Revocations.changes(for: recorded))
            #expect(
                RecordedSessions.changes(for: published) == RecordedSessions.changes(for: recorded)
            )
        }
    }
}
