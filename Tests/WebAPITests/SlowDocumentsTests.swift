import Domain
import InMemory
import Issuing
import Runtime
import TestSupport
import Testing

/// Reading documents may take longer than a decision may (decision 0044).
@Suite("Documents that take their time") struct SlowDocumentsTests {
    /// A document is the project's id, a space and its host; reading one takes six tenths of a
    /// second.
    private struct SlowDocuments: ProjectDocuments {
        let time: PassingTime

        func read(_ document: [UInt8]) throws(ProjectFindings) -> ProjectSettings {
            let parts = document.split(separator: UInt8(ascii: " "))
            guard parts.count == 2, let id = ProjectID(parts[0]) else {
                throw ProjectFindings(lines: ["id: is missing"])
            }
            let host = String(decoding: parts[1], as: UTF8.self)
            return ProjectSettings(
                id: id,
                name: id.text,
                publicOrigin: "https://\(host)",
                hosts: [host],
                clients: []
            )
        }

        func cautions(in document: [UInt8]) -> [String] { [] }

        func clients(in document: [UInt8]) -> [ClientID] {
            time.pass(milliseconds: 600)
            return []
        }

        func hosts(in document: [UInt8]) -> [String] {
            time.pass(milliseconds: 600)
            return (try? read(document))?.hosts ?? []
        }

        func changedPaths(from old: [UInt8]?, to new: [UInt8]) -> [String] {
            time.pass(milliseconds: 600)
            return ["http"]
        }
    }

    @Test("three projects are made beside one, and that one gets another host")
    func applied() async throws {
        let side = try await AdminSide().side
        let time = PassingTime()
        let commands = CommandRunner(
            store: side.store,
            projects: side.projects,
            clock: side.clock,
            entropy: side.entropy,
            names: StreamNames(side.digester),
            pause: time
        )
        let administration = ProjectAdministration(
            commands: commands,
            documents: SlowDocuments(time: time),
            digester: side.digester,
            keys: KeyAdministration(commands: commands, vault: StandInVault()),
            origins: InMemoryProjectOrigins(side.store)
        )
        func apply(_ text: String, _ precondition: ProjectAdministration.Precondition)
            async throws
        {
            _ = try await administration.apply(
                Array(text.utf8),
                if: precondition,
                by: Operator(name: "somebody", role: .configure),
                reason: "test",
                deadline: Fixture.noDeadline
            )
        }
        for name in ["one", "two", "three"] {
            try await apply("\(name) \(name).example", .absent)
        }
        let own = side.project.settings.id
        try await apply("\(own.text) four.example", .digest(side.project.digest))
        let now = try await administration.document(of: own, by: Fixture.noDeadline)
        #expect(now.document == Array("\(own.text) four.example".utf8))
    }
}
