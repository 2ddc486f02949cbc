// @unchecked: touched by the one thread that runs the simulation.
/// When the project is suspended, as far as its operator knows (decision 0201): that happens once
/// in a run, if at all.
final class SuspensionModel: @unchecked Sendable {
    private let world: World
    private var orderedStep: Int?
    private var heardStep: Int?
    private var liftedStep: Int?
    /// All is well again, and every node has heard that the project goes on.
    var isOver = false

    init(_ world: World) { self.world = world }

    /// The operator orders it.
    func begins() { orderedStep = world.steps }

    /// They have heard that it is done.
    func hears() { heardStep = world.steps }

    /// They order that the project go on; again where an order of before ran late.
    func ends() { liftedStep = liftedStep ?? world.steps }

    /// Whether a request that was answered at `step` may have been refused for it: by a node that
    /// has not heard of its end, too.
    func mayHold(before step: Int?) -> Bool {
        guard !isOver, let orderedStep else { return false }
        return orderedStep < step ?? .max
    }

    /// Whether it was in force all the time that a request took.
    func holds(from start: Int, to end: Int?) -> Bool {
        guard let heardStep, let end else { return false }
        return heardStep < start && end < liftedStep ?? .max
    }
}
