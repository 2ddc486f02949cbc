import Domain
import EventFormat
import OAuth
import Projections
import Publishing
import TestSupport

/// What a record of `chancery.revocations` kills, by the form of its key.
enum RevocationShape: String, CaseIterable {
    case session, client, token

    private static let sessionID = Sample.session(20)
    private static let tokenID = Sample.token(6)
    private static let clientID = Sample.client("app")

    private var event: OfflineGrant.Event {
        switch self {
        case .session: .revoked(.logout)
        case .client: .clientLeft(Self.clientID, .reuse)
        case .token:
            .accessTokenRevoked(Self.tokenID, client: Self.clientID, expiresAt: Sample.time(900))
        }
    }

    /// The record that such an end becomes; without a user, when nobody is signed in.
    func record(subject: SubjectID?) throws -> RevocationRecord {
        let event = RecordedEvent(
            logIndex: 7,
            project: Sample.number(3),
            stream: Self.sessionID.stream,
            version: 3,
            occurredAt: Sample.time(0),
            subject: subject,
            session: Self.sessionID,
            body: .offlineGrant(event)
        )
        guard case .put(let row)? = Revocations.changes(for: event).first else {
            throw NoRecord()
        }
        return RevocationRecord(
            key: "\(row.key)",
            session: row.key.session,
            client: row.client?.text,
            token: row.key.token.map { "\($0)" },
            subject: row.subject?.stream,
            revokedAt: row.revokedAt,
            issuedBefore: row.issuedBefore,
            expiresAt: row.expiresAt,
            reason: row.reason,
            log: Sample.stream(9),
            index: row.logIndex ?? -1
        )
    }

    /// The key with other words for what differs from record to record.
    func key(session: String, client: String, token: String) throws -> String {
        try record(subject: nil).key
            .replacing("\(Self.sessionID)", with: session)
            .replacing("\(Self.tokenID)", with: token)
            .replacing("c:\(Self.clientID.text)", with: "c:\(client)")
    }

    /// The members of the value, in their order.
    func members(subject: SubjectID?) throws -> [JSON.Member] {
        try JSONReader.read(record(subject: subject).value).members ?? []
    }

    struct NoRecord: Error {}
}

/// The messages of `chancery.revocations`.
enum RevocationMessages {
    private static let uuid = "[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"

    static func all() throws -> EventMessages.Entries {
        try RevocationShape.allCases.map { (key: $0.rawValue, value: try message(of: $0)) } + [
            (
                key: "erased",
                value: [
                    "summary": "The user was erased, and no token of it can be left.",
                    "payload": ["type": "null"],
                    "bindings": AsyncAPIDocument.kafka(key: ["type": "string"]),
                ]
            ),
            (
                key: "watermark",
                value: [
                    "payload": AsyncAPIDocument.reference("watermark"),
                    "bindings": AsyncAPIDocument.kafka(
                        key: ["type": "string", "pattern": "^~watermark/[0-9]+$"]
                    ),
                ]
            ),
        ]
    }

    private static func message(of shape: RevocationShape) throws -> Outline {
        let members = try shape.members(subject: Sample.subject(1))
        let least = try shape.members(subject: nil).map(\.name)
        let key = try shape.key(session: uuid, client: "[!-~]+", token: uuid)
        return [
            "summary": .text(meaning(of: shape)),
            "payload": AsyncAPIDocument.object(
                members.map { (key: $0.name, value: value(of: $0)) },
                required: least
            ),
            "bindings": AsyncAPIDocument.kafka(
                key: ["type": "string", "pattern": .text("^\(key)$")]
            ),
        ]
    }

    private static func meaning(of shape: RevocationShape) -> String {
        switch shape {
        case .session: "Every token of the session is dead."
        case .client: "Every token of this client with an iat before issued_before_at is dead."
        case .token: "This one access token is dead."
        }
    }

    private static func value(of member: JSON.Member) -> Outline {
        switch member.value {
        case .integer where member.name.hasSuffix("_at"): AsyncAPIDocument.reference("time")
        case .integer: ["type": "integer", "format": "int64"]
        case .string(let text) where StreamID(text: Array(text.utf8)) != nil:
            AsyncAPIDocument.reference("id")
        case .null, .bool, .decimal, .string, .array, .object: ["type": "string"]
        }
    }
}
