import Domain
import EventFormat
import OAuth
import TestSupport
import Testing

@Suite("Payload") struct PayloadTests {
    static func decode(
        _ type: StoredType,
        _ payload: String,
        columns: StoredColumns = StoredSamples.columns
    ) throws(FormatError) -> DomainEvent {
        try EventFormat.decode(
            type: type.rawValue,
            payload: Array(payload.utf8),
            columns: columns
        )
    }

    @Test("is canonical JSON of the members its type may have", arguments: StoredSamples.all)
    func members(_ event: DomainEvent) throws {
        let type = event.storedType
        let payload = try CanonicalJSON.read(EventFormat.encode(event).payload)
        let names = try #require(payload.members).map(\.name)
        #expect(names == type.members.map(\.name))
        for member in type.members {
            let value = try #require(payload[member.name])
            #expect(Self.has(member.form, value), "\(member.name): \(member.form)")
        }
    }

    @Test("every member that is not optional is needed", arguments: StoredSamples.all)
    func needed(_ event: DomainEvent) throws {
        let type = event.storedType
        let payload = try CanonicalJSON.read(EventFormat.encode(event).payload)
        let members = try #require(payload.members)
        for member in type.members where !Self.isConstant(member, of: type) {
            let rest = JSON.object(members.filter { $0.name != member.name })
            let bytes = try #require(CanonicalJSON.write(rest))
            let read = Result { () throws(FormatError) in
                try EventFormat.decode(
                    type: type.rawValue,
                    payload: bytes,
                    columns: StoredSamples.columns
                )
            }
            // Of a pair of members that belong together, the other one is refused instead.
            let refused = (try? read.get()) == nil
            let belongs =
                type == .offlineGrantRefreshed && member.name == "secret"
                || type == .offlineGrantApp2AppApproved
                    && ["family", "generation"].contains(member.name)
                || ["app_client", "app_session"].contains(member.name)
            #expect(refused == (!member.isOptional || belongs), "\(member.name)")
        }
    }

    @Test("a member of another form is refused", arguments: StoredSamples.all)
    func forms(_ event: DomainEvent) throws {
        let type = event.storedType
        let payload = try CanonicalJSON.read(EventFormat.encode(event).payload)
        let members = try #require(payload.members)
        for member in type.members where !Self.isConstant(member, of: type) {
            let wrong: JSON = member.form == .boolean ? "true" : true
            let other = JSON.object(
                members.map { $0.name == member.name ? JSON.Member($0.name, wrong) : $0 }
            )
            let bytes = try #require(CanonicalJSON.write(other))
            #expect(throws: FormatError.invalid(member.name)) {
                try EventFormat.decode(
                    type: type.rawValue,
                    payload: bytes,
                    columns: StoredSamples.columns
                )
            }
        }
    }

    @Test("a member it does not know is ignored", arguments: StoredSamples.all)
    func unknownMember(_ event: DomainEvent) throws {
        let (type, payload) = EventFormat.encode(event)
        let members = try #require(try CanonicalJSON.read(payload).members)
        let more = JSON.object(members + [JSON.Member("zz_new", 1)])
        let bytes = try #require(CanonicalJSON.write(more))
        let read = try EventFormat.decode(
            type: type,
            payload: bytes,
            columns: StoredSamples.columns
        )
        #expect(read == event)
    }

    @Test("an unknown number is an error, never a guess", arguments: [0, -1, 102, 305, 9999])
    func unknownType(_ number: Int16) {
        #expect(throws: FormatError.unknownType(number)) {
            try EventFormat.decode(
                type: number,
                payload: Array("{}".utf8),
                columns: StoredSamples.columns
            )
        }
    }

    @Test(
        "other JSON than a writer writes is refused",
        arguments: ["", "{", "[]", "{ }", #"{"b":1,"a":1}"#, #"{"reason":null}"#, "{}\n"]
    )
    func notCanonical(_ payload: String) {
        #expect {
            _ = try Self.decode(.subjectEnabled, payload)
        } throws: { error in
            if case FormatError.payload = error { true } else { false }
        }
    }

    @Test(
        "a value no writer writes is refused",
        arguments: [
            (StoredType.subjectDisabled, #"{"reason":"whim"}"#, "reason"),
            (.loginLinkConsumed, #"{"authorization":"01900000"}"#, "authorization"),
            (.browserSessionCookieRotated, #"{"cookie":"AQ","reason":"privilege"}"#, "cookie"),
            (.loginLinkResent, #"{"generation":4294967296}"#, "generation"),
            (.consentGiven, #"{"client":"a b","scope":[]}"#, "client"),
            (.consentGiven, #"{"client":"a","scope":["b","a"]}"#, "scope"),
            (.consentGiven, #"{"client":"a","scope":["a","a"]}"#, "scope"),
            (.consentGiven, #"{"client":"a","scope":["a b"]}"#, "scope"),
            (.consentGiven, #"{"client":"a","scope":[1]}"#, "scope"),
            (.offlineGrantReauthenticated, #"{"amr":["pwd"],"auth_time_at":1}"#, "amr"),
        ]
    )
    func invalid(_ type: StoredType, _ payload: String, _ member: String) {
        #expect(throws: FormatError.invalid(member)) { try Self.decode(type, payload) }
    }

    @Test("an event of somebody needs the column that says whose") func missingColumn() throws {
        var columns = StoredSamples.columns
        columns.subject = nil
        for event in StoredSamples.all where event.subject != nil {
            let (type, payload) = EventFormat.encode(event)
            let read = Result { () throws(FormatError) in
                try EventFormat.decode(type: type, payload: payload, columns: columns)
            }
            if case .loginID = event { continue }
            #expect(throws: FormatError.missingColumn("subject_id")) { try read.get() }
        }
    }

    @Test("the columns an event names are the ones it is read from", arguments: StoredSamples.all)
    func columns(_ event: DomainEvent) throws {
        let (type, payload) = EventFormat.encode(event)
        if let subject = event.subject { #expect(subject == StoredSamples.columns.subject) }
        if let at = event.occurredAt { #expect(at == StoredSamples.columns.occurredAt) }
        var columns = StoredSamples.columns
        columns.occurredAt = columns.occurredAt.adding(seconds: 1)
        let read = try EventFormat.decode(type: type, payload: payload, columns: columns)
        #expect((read == event) == (event.occurredAt == nil))
        let client = try CanonicalJSON.read(payload)["client"]?.string
        #expect(event.client?.text == client)
    }

    @Test("a far future is written as the farthest that can be read") func farFuture() throws {
        let event = DomainEvent.spent(
            .spent(.clientAssertion, expiresAt: Instant(microseconds: .max))
        )
        let payload = EventFormat.encode(event).payload
        let expiry = try CanonicalJSON.read(payload)["expires_at"]?.integer
        #expect(expiry == CanonicalJSON.integers.upperBound)
    }

    @Test("a public key that is no canonical object is kept as text") func publicKey() throws {
        let event = DomainEvent.signingKey(
            .staged(
                kid: "k",
                .rs256,
                publicKey: Array(#"{ "kty": "RSA" }"#.utf8),
                at: StoredSamples.columns.occurredAt
            )
        )
        let (type, payload) = EventFormat.encode(event)
        let read = try EventFormat.decode(
            type: type,
            payload: payload,
            columns: StoredSamples.columns
        )
        #expect(read == event)
    }

    /// Written but not read: what it says, the type says already.
    private static func isConstant(_ member: StoredMember, of type: StoredType) -> Bool {
        type == .authorizationLoginRequested && member.name == "method"
    }

    private static func has(_ form: StoredMember.Form, _ value: JSON) -> Bool {
        switch form {
        case .text: value.string != nil
        case .boolean: value.bool != nil
        case .integer, .time: value.integer != nil
        case .id: value.string.flatMap { StreamID(text: $0.utf8) } != nil
        case .texts: value.strings != nil
        case .parent: value.members?.map(\.name) == ["id", "kind"]
        case .key: value.members != nil
        }
    }
}
