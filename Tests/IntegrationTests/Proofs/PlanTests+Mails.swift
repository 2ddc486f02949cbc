extension PlanTests {
    /// What every issuer asks every second.
    static let mails = [
        Case(
            file: "lease_mails",
            types: "bigint",
            arguments: "8",
            indexes: ["mail_queue_due", "mail_queue_pkey"],
            sought: "mail_queue_pkey"
        )
    ]
}
