import Domain
import Issuing

/// Who gives another key the place of the one that signs, or gives one up (Security 5).
///
/// In three of ten seeds; the projects of the others have one key, without a name.
struct KeyOperator: Sendable {
    private static let (first, next) = ("first", "next")

    /// Nothing is made here: both keys are there from the start.
    private struct NoVault: KeyVault {
        func generate(_ algorithm: SigningKeyRing.Algorithm, for project: ProjectNumber)
            async throws(KeyVaultError) -> GeneratedKey
        {
            throw .unavailable
        }

        func fault(of kid: String, _ algorithm: SigningKeyRing.Algorithm) async -> String? { nil }
    }

    private let clients: Clients
    private var installation: Installation { clients.installation }
    private var world: World { clients.world }

    /// Nil in a seed without.
    init?(_ clients: Clients) {
        guard Self.works(in: clients.world) else { return nil }
        self.clients = clients
    }

    static func works(in world: World) -> Bool { world.isDrawn(300, purpose: 12) }

    /// One key signs, another has been published for more than a day.
    func setUp(at node: IssuerProcess) async -> Bool {
        let stream = installation.project(version: 0).keysStream
        for kid in [Self.first, Self.next] {
            let now = node.clock.now
            let isStaged = await node.run(SigningKeyRing.self, stream) { _ in
                .stage(kid: kid, .es256, publicKey: Array("{}".utf8), at: now)
            }
            guard isStaged else { return false }
        }
        // A day passes in a turn of its own, not in that of the lane that has just committed.
        await world.sleep(milliseconds: 1, on: node.process)
        // By the clock of any node: two of them are up to 1.8 s apart.
        world.pass(milliseconds: SigningKeyRing.stagedMilliseconds + 3_000)
        await world.sleep(milliseconds: 1, on: node.process)
        let now = node.clock.now
        let isPromoted = await node.run(SigningKeyRing.self, stream) { _ in
            .promote(kid: Self.first, emergency: false, at: now)
        }
        guard isPromoted else { return false }
        let deadline = node.clock.deadline(inMilliseconds: 3000)
        return (try? await node.projects.reload(node.projects.number, by: deadline)) != nil
    }

    func work() async {
        await pause()
        switch world.dice.draw(3) {
        case 0:
            await carryOut(.promote(kid: Self.next, emergency: false))
            // What the former has signed counts on, until somebody hears that it was stolen.
            guard world.dice.strikes(600) else { return }
            await pause()
            let change = KeyAdministration.Change.compromise(kid: Self.first, isFinal: false)
            await carryOut(change, givingUp: Self.first)
        case 1:
            await carryOut(.promote(kid: Self.next, emergency: true), givingUp: Self.first)
        default:
            // For a while there is none that signs.
            let change = KeyAdministration.Change.compromise(kid: Self.first, isFinal: true)
            await carryOut(change, givingUp: Self.first)
            await pause()
            await carryOut(.promote(kid: Self.next, emergency: true))
        }
    }

    private func pause() async {
        let most = world.dice.strikes(500) ? 15_000 : 1_000
        await world.sleep(milliseconds: world.dice.draw(most), on: clients.process)
    }

    /// Orders it until somebody says that it is done.
    private func carryOut(_ change: KeyAdministration.Change, givingUp key: String? = nil) async {
        let keys = installation.checks.keys
        for _ in 0..<60 {
            let number = key.map { keys.begins(givingUp: $0) }
            let isDone = await clients.ask(installation.anyIssuer()) { node -> Bool in
                guard let project = node.projects.all.first else { return false }
                let administration = KeyAdministration(commands: node.commands, vault: NoVault())
                let order = Order(
                    in: project,
                    by: Operator(name: "olga", role: .configure),
                    reason: "asked",
                    deadline: node.clock.deadline(inMilliseconds: 5000)
                )
                do throws(OperationError) {
                    try await administration.change(change, by: order)
                    return true
                } catch { return false }
            }
            guard isDone == true else {
                // A person: a lane that waits for its database says so at once.
                await world.sleep(milliseconds: 1_000, on: clients.process)
                continue
            }
            if let number { keys.ends(number) }
            return
        }
        installation.checks.broken("I16", "sixty orders to change a signing key did nothing")
    }
}
