import Domain
import InMemory
import Issuing
import TestSupport
import Testing

/// A document at a node that has not heard of what became of the project's keys (decision 0162).
@Suite("A document on a key ring of before") struct StaleKeyRingTests {
    @Test("is refused when the key that it needs was given up at another node") func givenUp()
        async throws
    {
        let side = try await AdminSide().side
        let ring = side.project.keysStream
        let store = try await StaleStore<SigningKeyRing>(side.store, remembering: ring)
        try await side.changeKeys([.compromise(kid: "first-ES256", issuedBefore: side.clock.now)])
        let commands = side.commands(over: store)
        let administration = ProjectAdministration(
            commands: commands,
            documents: NameDocuments(),
            digester: side.digester,
            keys: KeyAdministration(commands: commands, vault: StandInVault()),
            origins: InMemoryProjectOrigins(side.store)
        )
        let count = side.store.commits.count
        do throws(OperationError) {
            _ = try await administration.apply(
                Array(side.project.settings.id.text.utf8),
                if: .digest(side.project.digest),
                by: Operator(name: "somebody", role: .configure),
                reason: "test",
                deadline: Fixture.noDeadline
            )
            #expect(Bool(false), "it was applied")
        } catch {
            guard case .invalid = error else { return #expect(Bool(false), "\(error)") }
        }
        #expect(side.store.commits.count == count)
    }
}
