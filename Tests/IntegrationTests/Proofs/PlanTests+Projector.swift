extension PlanTests {
    /// What the projector asks of its model.
    static let ofProjector = [
        Case(
            file: "clear_outbox",
            types: "text[]",
            arguments: "'{5,7}'",
            role: "projector",
            indexes: ["outbox_key"]
        ),
        Case(
            file: "drop_old_revocations",
            types: "timestamptz",
            arguments: "now()",
            role: "projector",
            indexes: ["revocations_expiry", "revocations_pkey", "outbox_key", "events_"]
        ),
        Case(
            file: "drop_old_sessions",
            types: "timestamptz",
            arguments: "now()",
            role: "projector",
            indexes: ["sessions_pkey"]
        ),
        Case(
            file: "revocations_to_bury",
            types: "timestamptz",
            arguments: "now()",
            role: "projector",
            indexes: ["revocations_expiry", "outbox_key", "events_"]
        ),
        Case(
            file: "revocation_outbox",
            role: "projector",
            indexes: ["outbox_pkey", "revocations_pkey"]
        ),
        Case(
            file: "projection_history",
            types: "uuid, int, int",
            arguments: "'\(PlanTests.stream)', 1, 20",
            role: "projector",
            indexes: ["_pkey"]
        ),
        Case(
            file: "last_revocation_key",
            types: "text",
            arguments: "'5'",
            role: "projector",
            indexes: ["revocations_pkey"]
        ),
        Case(
            file: "queue_revocations",
            types: "text, text",
            arguments: "'5', '501'",
            role: "projector",
            indexes: ["revocations_pkey"]
        ),
        Case(
            file: "revocation_topic",
            types: "text, text",
            arguments: "'revocation', 'chancery.revocations'",
            role: "projector",
            indexes: ["revocation_topic_pkey"]
        ),
        Case(
            file: "keep_acknowledged",
            types: "text, text, bigint[]",
            arguments: "'revocation', 'chancery.revocations', '{1}'",
            role: "projector",
            indexes: ["revocation_topic_pkey"]
        ),
    ]
}
