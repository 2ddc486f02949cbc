// @unchecked: touched by the one thread that runs the simulation.
/// What is promised of signing keys (Security 5, I24): what one signed counts until it is given
/// up, and from the answer to that on at no node any more.
final class KeyModel: @unchecked Sendable {
    private struct Order {
        let key: String
        let startedStep: Int
        var endedStep: Int?
    }

    private let world: World
    private var orders: [Order] = []

    init(_ world: World) { self.world = world }

    /// Somebody orders that a key be given up; the number of the order.
    func begins(givingUp key: String) -> Int {
        orders.append(Order(key: key, startedStep: world.steps))
        return orders.count - 1
    }

    /// They have heard that it is.
    func ends(_ number: Int) { orders[number].endedStep = world.steps }

    /// Whether the key that signed a token was given up for whoever asks at `step`.
    func isGivenUp(_ token: [UInt8], before step: Int) -> Bool {
        orders(about: token).contains { $0.endedStep.map { $0 < step } ?? false }
    }

    /// Whether it may have been before `step`, which is after now for a request that is not over.
    func mayBeGivenUp(_ token: [UInt8], before step: Int?) -> Bool {
        orders(about: token).contains { $0.startedStep < step ?? .max }
    }

    /// As its header names the key.
    private func orders(about token: [UInt8]) -> [Order] {
        let parts = token.split(separator: UInt8(ascii: "."))
        guard parts.count > 1 else { return [] }
        return orders.filter { parts[1].elementsEqual($0.key.utf8) }
    }
}
