// @unchecked: touched by the one thread that runs the simulation.
/// The invariants I1 to I12, and some beyond, asked after every step of what is new since the one
/// before.
final class Checks: @unchecked Sendable {
    private let world: World
    let log: LogChecks
    let topic: TopicChecks
    let model: ModelChecks
    let commands: CommandChecks
    let revocations: RevocationChecks
    let keys: KeyModel
    let suspension: SuspensionModel
    private(set) var violations: [Violation] = []

    init(_ world: World, _ database: SimulatedDatabase, _ topic: SimulatedTopic) {
        self.world = world
        log = LogChecks(database)
        self.topic = TopicChecks(topic, database)
        model = ModelChecks()
        commands = CommandChecks(database)
        revocations = RevocationChecks(database, topic)
        keys = KeyModel(world)
        suspension = SuspensionModel(world)
    }

    /// Notes a broken promise, each sentence once.
    func broken(_ invariant: String, _ sentence: String) {
        guard !world.isOver, violations.count < 20,
            !violations.contains(where: { $0.sentence.utf8.elementsEqual(sentence.utf8) })
        else { return }
        violations.append(Violation(invariant: invariant, sentence: sentence, step: world.steps))
    }

    func afterStep() {
        log.look { broken($0, $1) }
        topic.look { broken($0, $1) }
        model.look { broken($0, $1) }
        commands.look { broken($0, $1) }
        revocations.look { broken($0, $1) }
    }
}
