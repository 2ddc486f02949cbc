import Domain
import InMemory
import Issuing
import TestSupport
import Testing

/// A node that began with a root secret of its own beside another one (decision 0165).
@Suite("A first project beside that of another root secret") struct AnotherRootTests {
    /// Names everything as another root secret does.
    private struct OtherDigester: Digester {
        let digester: StandInDigester

        func sha256(_ bytes: [UInt8]) -> TokenDigest { digester.sha256(bytes) }

        func mac(_ label: KeyLabel, _ message: [UInt8]) -> TokenDigest {
            digester.mac(label, [0xFF] + message)
        }

        func macs(_ label: KeyLabel, _ message: [UInt8])
            -> (current: TokenDigest, second: TokenDigest?)
        {
            (mac(label, message), nil)
        }

        func isValid(_ mac: TokenDigest, _ label: KeyLabel, _ message: [UInt8]) -> Bool {
            self.mac(label, message) == mac
        }
    }

    @Test("is not made; a second one of the root that is there is", arguments: [true, false])
    func created(_ isOther: Bool) async throws {
        let side = try await TokenSide()
        let own: any Digester = isOther ? OtherDigester(digester: side.digester) : side.digester
        let commands = CommandRunner(
            store: side.store,
            projects: side.projects,
            clock: side.clock,
            entropy: side.entropy,
            names: StreamNames(own),
            pause: side.clock
        )
        let administration = ProjectAdministration(
            commands: commands,
            documents: NameDocuments(),
            digester: own,
            keys: KeyAdministration(commands: commands, vault: StandInVault()),
            origins: InMemoryProjectOrigins(side.store)
        )
        let count = side.store.commits.count
        func apply() async throws(OperationError) {
            _ = try await administration.apply(
                Array("shop".utf8),
                if: .absent,
                by: Operator(name: "somebody", role: .configure),
                reason: "test",
                deadline: Fixture.noDeadline
            )
        }
        guard isOther else {
            try await apply()
            return #expect(side.store.commits.count == count + 1)
        }
        do throws(OperationError) {
            try await apply()
            #expect(Bool(false), "it was made")
        } catch { #expect(error == .conflict(.foreignRoot)) }
        #expect(side.store.commits.count == count)
    }
}
