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

    static func works(in world: World) -> Bool { world.isDrawn(200, purpose: 20) }

    /// The next one is staged as the issuers start.
    static func stage(_ file: RootFile, in world: World) {
        if works(in: world) { file.content.second = [1] }
    }

    func work() async {
        await world.sleep(milliseconds: world.dice.draw(1_000), on: clients.process)
        // A step back is one, too, as of who puts the file of before in its place: so there are
        // many moments in which issuers make values with one and the other.
        for _ in 0..<8 {
            guard await allHaveReadIt() else { return }
            let content = installation.root.content
            guard let second = content.second else { return }
            installation.root.content = .init(current: second, second: content.current)
        }
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
