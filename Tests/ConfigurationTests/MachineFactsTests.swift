import Configuration
import Testing

@Suite("Where a process refuses to start") struct MachineFactsTests {
    private static let good = MachineFacts(
        userID: 1000,
        openFilesMax: 65_536,
        backtrace: "enable=no"
    )

    /// One fault, and the setting that the line names.
    static let rows: [(setting: String, machine: MachineFacts)] = [
        ("User", MachineFacts(userID: 0, openFilesMax: 65_536, backtrace: "enable=no")),
        ("LimitNOFILE", MachineFacts(userID: 1, openFilesMax: 16_383, backtrace: "enable=no")),
        ("SWIFT_BACKTRACE", MachineFacts(userID: 1, openFilesMax: 16_384, backtrace: nil)),
        ("SWIFT_BACKTRACE", MachineFacts(userID: 1, openFilesMax: 16_384, backtrace: "enable=yes")),
    ]

    @Test("each fault is one line that names its setting", arguments: rows)
    func fault(_ row: (setting: String, machine: MachineFacts)) {
        #expect(row.machine.refusals.count == 1)
        #expect(row.machine.refusals.first?.hasPrefix("\(row.setting): ") == true)
        let production = ProcessInvocation(["--config", "x"])
        #expect(
            production.refusal("relay", on: row.machine)?.hasPrefix("relay: \(row.setting)") == true
        )
        let development = ProcessInvocation(["--config", "x", "--insecure-dev"])
        #expect(development.refusal("relay", on: row.machine) == nil)
    }

    @Test("a machine without fault is no reason") func noFault() {
        #expect(ProcessInvocation(["--config", "x"]).refusal("relay", on: Self.good) == nil)
    }

    @Test(
        "which issuers stay on the machine",
        arguments: [
            ("http://localhost:8080", true), ("http://a.localhost", true),
            ("http://127.0.0.1:8080", true), ("https://auth.test", true),
            ("https://auth.example.com", false), ("https://localhost.example.com", false),
            ("http://10.0.0.1", false),
        ]
    )
    func development(_ row: (issuer: String, isLocal: Bool)) {
        #expect(IssuerOrigin.isForDevelopment(row.issuer) == row.isLocal)
    }
}
