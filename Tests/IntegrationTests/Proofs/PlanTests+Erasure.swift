extension PlanTests {
    /// What the erasure of a user asks and does.
    static let erasure = [
        Case(
            file: "subject_events",
            types: "uuid, bigint",
            arguments: "'\(stream)', 1",
            indexes: ["_subject_id_position_idx", "_pkey"],
            scans: 2
        ),
        Case(
            file: "delete_subject_contexts",
            types: "uuid",
            arguments: "'\(stream)'",
            indexes: ["contexts_subject", "contexts_pkey"],
            sought: "contexts_pkey"
        ),
        Case(
            file: "delete_stream_contexts",
            types: "uuid[], int",
            arguments: "'{\(stream)}', 0",
            indexes: ["_pkey"],
            scans: 2,
            sought: "contexts_pkey"
        ),
        Case(
            file: "delete_stream_snapshots",
            types: "uuid[]",
            arguments: "'{\(stream)}'",
            indexes: ["snapshots_pkey"],
            sought: "snapshots_pkey"
        ),
        Case(
            file: "destroy_stream_keys",
            types: "uuid[]",
            arguments: "'{\(stream)}'",
            indexes: ["sealing_keys_alive"],
            sought: "sealing_keys_alive"
        ),
    ]
}
