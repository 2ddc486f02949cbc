import Domain
import EventFormat
import OAuth
import TestSupport
import Testing

@Suite("Published form") struct PublishedFormTests {
    static func record(_ event: DomainEvent) throws(FormatError) -> PublishedRecord {
        try PublishedForm.record(of: StoredSamples.row(event), at: StoredSamples.place)
    }

    /// Everything that leaves, as one text.
    static func text(_ record: PublishedRecord) -> String {
        let parts =
            [record.key, record.value]
            + record.headers.list.flatMap { [Array($0.name.utf8), $0.value] }
        return parts.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "\n")
    }

    @Test("nothing marked stored, digest or sealed leaves", arguments: StoredSamples.all)
    func canaries(_ event: DomainEvent) throws {
        let payload = try CanonicalJSON.read(EventFormat.encode(event).payload)
        let record = try Self.record(event)
        let text = Self.text(record)
        let value = try CanonicalJSON.read(record.value)
        for member in event.storedType.members where member.mark != .published {
            let secret = try #require(payload[member.name])
            #expect(value[member.name] == nil, "\(member.name)")
            if let canary = secret.string { #expect(!text.contains(canary), "\(member.name)") }
        }
        let published = event.storedType.members.filter { $0.mark == .published }.map(\.name)
        #expect(value.members?.map(\.name) == published)
        #expect(!text.contains("a \"reason"), "an operator's words stay")
        #expect(!text.contains("a \\\"reason"), "escaped, too")
        let command = StoredSamples.row(event).command.stream.description
        #expect(!text.contains(command), "its id keeps a hash from being guessed")
    }

    @Test("there are members to keep back") func marks() {
        let members = StoredType.allCases.flatMap(\.members)
        for mark in StoredMember.Mark.allCases {
            #expect(members.contains { $0.mark == mark }, "\(mark)")
        }
        // By name, so that no mark is forgotten on a new event.
        let names: Set = [
            "secret", "cookie", "initiator", "browser", "code_challenge", "email", "value",
            "device", "place", "login_hint", "state", "nonce", "number", "document", "known",
            "approval",
        ]
        for member in members where names.contains(member.name) {
            #expect(member.mark != .published, "\(member.name)")
        }
    }

    @Test("a member that a newer version added does not leave") func newMember() throws {
        var row = StoredSamples.row(.subject(.enabled(at: StoredSamples.columns.occurredAt)))
        row.payload = Array(#"{"canary":"1"}"#.utf8)
        let record = try PublishedForm.record(of: row, at: StoredSamples.place)
        #expect(record.value == Array("{}".utf8))
    }

    @Test("a login-id is found by its subject, its stream id does not leave")
    func loginID() throws {
        for event in StoredSamples.loginIDs {
            let record = try Self.record(event)
            #expect(record.key == Sample.stream(0xA1).textBytes)
            #expect(record[header: "ce_stream"] == nil)
            #expect(record[header: "ce_streamversion"] == nil)
            #expect(!Self.text(record).contains(Sample.stream(0xB1).description))
        }
    }

    @Test("a login-id without subject stops the relay") func loginIDWithoutSubject() {
        var row = StoredSamples.row(StoredSamples.loginIDs[0])
        row.columns.subject = nil
        #expect(throws: FormatError.missingColumn("subject_id")) {
            try PublishedForm.record(of: row, at: StoredSamples.place)
        }
    }

    @Test("an unknown type stops the relay") func unknownType() {
        var row = StoredSamples.row(.subject(.enabled(at: StoredSamples.columns.occurredAt)))
        row.type = 102
        #expect(throws: FormatError.unknownType(102)) {
            try PublishedForm.record(of: row, at: StoredSamples.place)
        }
    }

    @Test("a payload or metadata that cannot be read stops the relay") func damage() {
        var row = StoredSamples.row(.subject(.enabled(at: StoredSamples.columns.occurredAt)))
        row.payload = []
        #expect(throws: FormatError.self) {
            try PublishedForm.record(of: row, at: StoredSamples.place)
        }
        row = StoredSamples.row(.subject(.enabled(at: StoredSamples.columns.occurredAt)))
        row.metadata = Array("{}".utf8)
        #expect(throws: FormatError.missing("actor")) {
            try PublishedForm.record(of: row, at: StoredSamples.place)
        }
    }

    @Test("headers of CloudEvents") func headers() throws {
        let record = try Self.record(.offlineGrant(.revoked(.logout)))
        let headers = record.headers.list.map {
            "\($0.name): \(String(decoding: $0.value, as: UTF8.self))"
        }
        #expect(
            headers == [
                "content-type: application/json", "ce_specversion: 1.0", "ce_id: 1234",
                "ce_source: urn:chancery:log:01900000-0000-7000-8000-0000000000a7",
                "ce_type: chancery.offline-grant.revoked.v1",
                "ce_time: 2026-11-21T03:47:34.473123Z",
                "ce_subject: 01900000-0000-7000-8000-0000000000a1",
                "ce_sequence: 00000000000000001234",
                "ce_stream: 01900000-0000-7000-8000-0000000000b1", "ce_streamversion: 5",
                "ce_project: shop", "ce_session: 01900000-0000-7000-8000-0000000000a2",
                "ce_actor: operator:ann",
                "ce_eventhash: \(String(repeating: "a8", count: 32))",
                "ce_correlation: 01900000-0000-7000-8000-0000000000a5",
                "ce_causation: 01900000-0000-7000-8000-0000000000a4:7",
                "ce_traceparent: 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
                "ce_relayepoch: 3",
            ]
        )
        #expect(record.key == Sample.stream(0xB1).textBytes)
        #expect(record.value == Array(#"{"reason":"logout"}"#.utf8))
    }

    @Test("the hash is written from its first byte to its last") func hash() throws {
        let bytes = (0..<32).map { UInt8($0 * 8 + 3) }
        var place = StoredSamples.place
        place.hash = EventHash(digest: try #require(TokenDigest(bytes: bytes)))
        let row = StoredSamples.row(.subject(.enabled(at: StoredSamples.columns.occurredAt)))
        let record = try PublishedForm.record(of: row, at: place)
        #expect(record[header: "ce_eventhash"] == Hexadecimal.encode(bytes))
    }

    @Test(
        "members that are not allowed are left out wherever they stand",
        arguments: [
            (#"{"client":"a","clients":"x","scope":[]}"#, #"{"client":"a","scope":[]}"#),
            (
                #"{"a":1,"client":"a","scope":["x"],"z":{"client":"b"}}"#,
                #"{"client":"a","scope":["x"]}"#
            ),
            (
                #"{"clien":"x","client":"a","m":[1],"scop":2,"scope":[]}"#,
                #"{"client":"a","scope":[]}"#
            ),
            (#"{"z":true}"#, "{}"),
        ]
    )
    func unknownMembers(_ stored: String, _ published: String) throws {
        var row = StoredSamples.row(.consent(.given(Sample.client("a"), .empty)))
        row.payload = Array(stored.utf8)
        let record = try PublishedForm.record(of: row, at: StoredSamples.place)
        #expect(String(decoding: record.value, as: UTF8.self) == published)
    }

    @Test("a client with an escape in it is a header without") func escapedClient() throws {
        var row = StoredSamples.row(.offlineGrant(.revoked(.logout)))
        row.payload = Array(#"{"client":"a\"b","reason":"logout"}"#.utf8)
        let record = try PublishedForm.record(of: row, at: StoredSamples.place)
        #expect(record[header: "ce_client"] == Array("a\"b".utf8))
    }

    @Test("who did it: kind and id, name, or kind alone") func actors() throws {
        var row = StoredSamples.row(.subject(.enabled(at: StoredSamples.columns.occurredAt)))
        row.metadata = EventMetadata(
            actor: .client,
            correlation: Sample.stream(1),
            node: "n"
        ).encoded()
        var record = try PublishedForm.record(of: row, at: StoredSamples.place)
        #expect(record[header: "ce_actor"] == Array("client:\(Sample.stream(0xB3))".utf8))
        row.actor = nil
        record = try PublishedForm.record(of: row, at: StoredSamples.place)
        #expect(record[header: "ce_actor"] == Array("client".utf8))
        #expect(record[header: "ce_causation"] == nil)
    }
}
