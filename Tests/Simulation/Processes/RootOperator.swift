import Domain

// @unchecked: touched by the one thread that runs the simulation.
/// `root.key` of the directory that the issuers share.
final class RootFile: @unchecked Sendable {
    struct Content: Equatable {
        var current: [UInt8] = []
        var second: [UInt8]?
    }

    var content = Content()
}

/// Who gives another root secret the place of the current one (decision 0205).
///
/// In one of five seeds; the issuers of the others keep theirs.
struct RootOperator: Sendable {
    private let clients: Clients
    private var installation: Installation { clients.installation }
    private var world: World { clients.world }

    /// Nil in a seed without.
    init?(_ clients: Clients) {
        guard Self.works(in: clients.world) else { return nil }
        self.clients = clients
    }

    /// Drawn apart, so that seeds without are what they were.
    static func works(in world: World) -> Bool {
        var dice = Dice(seed: world.seed, purpose: 20)
        return dice.strikes(200)
    }

    func work() async {
        let most = world.dice.strikes(500) ? 15_000 : 1_000
        await world.sleep(milliseconds: 100 + world.dice.draw(most), on: clients.process)
        installation.root.content.second = [1]
        guard await allHaveReadIt() else { return }
        installation.root.content = .init(current: [1], second: [])
    }

    /// As its metric says of each; one that is frozen keeps the operator waiting.
    private func allHaveReadIt() async -> Bool {
        for _ in 0..<120 {
            await world.sleep(milliseconds: 500, on: clients.process)
            let content = installation.root.content
            if installation.issuers.allSatisfy({ $0.root == content }) { return true }
        }
        return false
    }
}
