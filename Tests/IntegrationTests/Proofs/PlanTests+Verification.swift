extension PlanTests {
    /// What `chancery verify` reads, page by page.
    static let verification = [
        Case(
            file: "verify_streams",
            types: "uuid, int",
            arguments: "'\(stream)', 1",
            role: "projector",
            indexes: ["_pkey", "events_"],
            condition: "ROW("
        ),
        Case(
            file: "verify_cursor",
            types: "bigint",
            role: "projector",
            indexes: ["relay_cursor_pkey", "ledger_pkey"]
        ),
        Case(
            file: "verify_ledger",
            types: "bigint",
            arguments: "-1",
            role: "projector",
            indexes: ["_pkey", "ledger_pkey"]
        ),
        Case(
            file: "verify_published",
            types: "bigint",
            arguments: "-1",
            role: "projector",
            indexes: ["_pkey", "ledger_pkey"]
        ),
    ]
}
