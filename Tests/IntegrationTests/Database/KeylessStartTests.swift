import Foundation
import Issuing
import Runtime
import TestSupport
import Testing

/// A ring without a key that signs must not lock its operators out: only an issuer that runs can
/// make another one (decision 0187).
@Suite("An issuer that cannot sign", .timeLimit(.minutes(3)), .keepsClusterOnFailure)
struct KeylessStartTests {
    /// What of its key is not there, and what the log says.
    static let losses: [(isKeyRecorded: Bool, line: String)] = [
        (true, "a signing key cannot be used on this node"), (false, "a project cannot sign"),
    ]

    @Test("starts, says so and ends in order; --check refuses it", arguments: losses)
    func starts(_ loss: (isKeyRecorded: Bool, line: String)) async throws {
        try await TestDatabase.with { database in
            var start = try ProductionStart("token-issuer", database.settings(as: "token_issuer"))
            defer { start.remove() }
            let key = try await start.addProject(
                to: database,
                isKeyRecorded: loss.isKeyRecorded
            )
            try FileManager.default.removeItem(atPath: start.path("keys/\(key.kid).key"))
            start.arguments = ["--check"]
            let (code, text) = try start.run()
            #expect(code == 78, "\(text)")
            start.arguments = []
            let child = try start.start()
            defer { child.signal(SIGKILL) }
            try await start.says(loss.line, on: database.loop)
            // Longer than it takes to refuse.
            try await database.loop.sleep(until: .after(.milliseconds(500)))
            child.signal(SIGTERM)
            let end = await child.wait(on: database.loop)
            #expect(end == .exited(0), "\(start.output)")
        }
    }
}
