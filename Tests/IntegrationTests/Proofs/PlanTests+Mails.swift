extension PlanTests {
    /// What every issuer asks every second, and before a mail.
    static let mails = [
        Case(
            file: "lease_mails",
            types: "bigint",
            arguments: "8",
            indexes: ["mail_queue_due", "mail_queue_pkey"],
            sought: "mail_queue_pkey"
        ),
        Case(
            file: "windows_have_room",
            types: "bytea[], int[], timestamptz[], int[]",
            arguments: "ARRAY[sha256('1')], '{60}', ARRAY[now()], '{1}'",
            indexes: ["windows_pkey"],
            sought: "windows_pkey"
        ),
    ]
}
