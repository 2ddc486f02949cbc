import Domain
import EventFormat
import Messaging
import Publishing

/// Both topics for programs: AsyncAPI 3.0.0, made of the types, members, headers and records that
/// the processes themselves use.
enum AsyncAPIDocument {
    static let bindingVersion: Outline = "0.5.0"

    static func whole() throws -> Outline {
        [
            "asyncapi": "3.0.0",
            "info": [
                "title": "Chancery's topics",
                "version": "1.0.0",
                "description": .text(
                    "Every event of the authorization server, and what is revoked. Promises and "
                        + "rules for consumers: Sources/Handbook.docc/Events.md. "
                        + "Written by `deploy/test --write`."
                ),
            ],
            "defaultContentType": "application/json",
            "channels": [
                "events": channel(
                    "chancery.events",
                    "Every event, once or more, in the order of its stream.",
                    TopicRules.events(isReplicated: true),
                    of: StoredType.allCases.map(\.name) + ["log.watermark.v1"]
                ),
                "revocations": channel(
                    "chancery.revocations",
                    "What is dead while a token of it may still be accepted; the value with the "
                        + "greatest log_index of its log_id is the one of a key.",
                    TopicRules.revocations(isReplicated: true),
                    of: RevocationShape.allCases.map(\.rawValue) + ["erased", "watermark"]
                ),
            ],
            "operations": [
                "publishEvents": operation("events", "event-relay"),
                "publishRevocations": operation("revocations", "revocation-projector"),
            ],
            "components": [
                "messages": .map(try EventMessages.all() + RevocationMessages.all()),
                "schemas": .map(try EventMessages.headerSchemas() + commonSchemas),
            ],
        ]
    }

    static func reference(_ schema: String) -> Outline {
        ["$ref": .text("#/components/schemas/\(schema)")]
    }

    static func kafka(key: Outline?) -> Outline {
        ["kafka": Outline.map([]).adding("key", key).adding("bindingVersion", bindingVersion)]
    }

    static func object(
        _ properties: [(key: String, value: Outline)],
        required: [String]
    ) -> Outline {
        var schema: Outline = ["type": "object"]
        if !required.isEmpty {
            schema = schema.adding("required", .list(required.map(Outline.text)))
        }
        return properties.isEmpty ? schema : schema.adding("properties", .map(properties))
    }

    private static func channel(
        _ topic: String,
        _ description: String,
        _ rules: TopicRules,
        of messages: [String]
    ) -> Outline {
        let settings = rules.settings
        let policies = (settings["cleanup.policy"] ?? "").split(separator: ",")
        let retention = settings["retention.ms"].flatMap { Int64($0) } ?? 0
        return [
            "address": .text(topic),
            "description": .text(description),
            "messages": .map(
                messages.map {
                    (key: $0, value: ["$ref": .text("#/components/messages/\($0)")])
                }
            ),
            "bindings": [
                "kafka": [
                    "topic": .text(topic),
                    "partitions": .number(Int64(TopicRules.partitions)),
                    "topicConfiguration": [
                        "cleanup.policy": .list(policies.map { .text(String($0)) }),
                        "retention.ms": .number(retention),
                    ],
                    "bindingVersion": bindingVersion,
                ]
            ],
        ]
    }

    private static func operation(_ channel: String, _ process: String) -> Outline {
        [
            "action": "send",
            "channel": ["$ref": .text("#/channels/\(channel)")],
            "summary": .text("by \(process)"),
        ]
    }

    private static let commonSchemas: [(key: String, value: Outline)] = [
        (key: "id", value: ["type": "string", "format": "uuid"]),
        (
            key: "time",
            value: [
                "type": "integer", "format": "int64",
                "description": "Milliseconds since 1970-01-01T00:00:00Z.",
            ]
        ),
        (
            key: "parent",
            value: object(
                [(key: "id", value: reference("id")), (key: "kind", value: ["type": "string"])],
                required: ["id", "kind"]
            )
            .adding("description", "What this came from.")
        ),
        (key: "publicKey", value: ["type": "object", "description": "A public JWK (RFC 7517)."]),
        (
            key: "watermark",
            value: object(
                [
                    (key: "complete_through_at", value: reference("time")),
                    (key: "log_index", value: ["type": "integer", "format": "int64"]),
                ],
                required: ["complete_through_at", "log_index"]
            )
            .adding(
                "description",
                "Everything that occurred until then is at or before this index."
            )
        ),
    ]
}
