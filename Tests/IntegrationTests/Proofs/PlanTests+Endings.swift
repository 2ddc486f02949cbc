extension PlanTests {
    /// What every issuer asks every two seconds.
    static let endings = [
        Case(
            file: "endings_read",
            types: "smallint, xid8, bigint",
            arguments: "1::smallint, '0', 0",
            indexes: ["_log_epoch_xid_position_idx1"],
            condition: "xid < pg_snapshot_xmin("
        ),
        Case(
            file: "endings_read_old_epoch",
            types: "smallint, xid8, bigint",
            arguments: "1::smallint, '0', 0",
            indexes: ["_log_epoch_xid_position_idx1"]
        ),
        Case(
            file: "endings_lag",
            types: "smallint, xid8, bigint",
            arguments: "1::smallint, '0', 0",
            indexes: ["_log_epoch_xid_position_idx1"]
        ),
    ]
}
