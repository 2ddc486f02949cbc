import Domain
import Runtime

// @unchecked: touched by the one thread that runs the simulation.
/// One request whose client leaves: where its command stands, and at which await that happens.
///
/// As the public listener does: the connection closes, the client hears nothing any more, and the
/// handler's task is cancelled.
final class Visit: @unchecked Sendable {
    @TaskLocal static var current: Visit?

    /// When the client leaves, seen from one await.
    enum Moment: Int, CaseIterable {
        /// The task has just begun to wait; it has waited a while; what it waits for is there, and
        /// it has not gone on yet.
        case before, during, behind
    }

    /// What a command waits for.
    enum Place: String, CaseIterable {
        /// Comparing: whether what was read, or the configuration, is still so.
        case turnstile, loading, comparing, pausing
        /// Handed to the log: in the queue of its lane, in a call, in the log but not answered.
        case lane, call, committed
        /// One command of the request is in the log, and it goes on with what follows.
        case afterwards
        /// For what is no command's: a hint, another task.
        case elsewhere
    }

    /// Awaits a client may leave at; few requests have more.
    static let awaitsMax = 12
    /// Awaits a request may go on for when nobody hears its answer: twelve attempts, and what
    /// follows from an end, have fewer.
    static let restMax = 100

    private let moment: Moment
    private let number: Int
    private let world: World
    private(set) var awaits = 0
    /// How many awaits it had when its client left.
    private(set) var leftAt: Int?
    private(set) var place: Place?
    private(set) var isEnded = false
    private var waitsFor = Place.elsewhere
    private var command: CommandID?
    private var commits = 0
    private let standing: (CommandID) -> Place
    /// The connection closes.
    var leave: () -> Void = {}

    /// `standing`: where a command is that was handed to the log.
    init(_ world: World, standing: @escaping (CommandID) -> Place) {
        self.world = world
        self.standing = standing
        (moment, number) = world.drawLeaving()
    }

    /// Awaits since the client has left.
    var rest: Int { leftAt.map { awaits - $0 } ?? 0 }

    func end() { isEnded = true }

    // MARK: - Its task

    func suspends() {
        awaits += 1
        guard awaits == number else { return }
        switch moment {
        case .before: goes()
        case .during: world.send(afterMicroseconds: world.drawStay()) { [self] in goes() }
        case .behind: break
        }
    }

    func resumes() {
        if awaits == number, moment == .behind { goes() }
    }

    private func goes() {
        guard !isEnded, leftAt == nil, !world.isOver else { return }
        leftAt = awaits
        if let command {
            place = standing(command)
        } else {
            place = commits > 0 ? .afterwards : waitsFor
        }
        leave()
    }

    // MARK: - Its command

    func waits(for place: Place) { waitsFor = place }

    func goesOn() { waitsFor = .elsewhere }

    func hands(over command: CommandID) { self.command = command }

    func hears(isCommitted: Bool) {
        command = nil
        if isCommitted { commits += 1 }
    }
}
