import Testing

/// Single-use artefacts, fifty at once at two token-issuers on one database (Security I1,
/// 14.4).
///
/// One race at a time: each counts what the log of their project gains.
@Suite("Races", .serialized, .timeLimit(.minutes(3))) enum Races {
    static func project() async throws -> TestProject { try await TestProject.named("races") }
}
