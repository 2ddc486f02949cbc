import Domain
import Runtime

// @unchecked: touched by the one thread that runs the simulation.
/// Time, network and processes: a seed decides who goes on, and when a message arrives.
///
/// Each step is one turn of one process's loop, or the arrival of one message.
final class World: @unchecked Sendable {
    /// Steps a run takes at most; far more than any healthy one.
    static let stepsMax = 400_000

    let seed: UInt64
    private(set) var nanoseconds: UInt64 = 1_000_000_000
    private(set) var steps = 0
    /// The end: every call fails at once, so that nothing waits any longer.
    var isOver = false
    var faults: FaultPlan
    /// For what happens, apart from faults.
    var dice: Dice
    private var order: Dice
    private var clocks: Dice
    private var leaving: Dice
    /// For networks that are away, and for the workers of issuers: apart, so that a seed without
    /// them is what it was.
    var partitions: Dice
    private var workers: Dice
    /// Of each issuer.
    let workersPerIssuer: Int
    private var processes: [SimulatedProcess] = []
    /// Killed; at the end their loops run empty, too.
    private var dead: [SimulatedProcess] = []
    private var messages: [Message] = []
    /// Called after each step.
    var afterStep: () -> Void = {}
    /// Called when everything has run empty: what holds its processes lets go of them.
    var afterEnd: () -> Void = {}

    private struct Message {
        var due: UInt64
        var deliver: () -> Void
    }

    init(seed: UInt64, muted: Set<Strike> = []) {
        self.seed = seed
        faults = FaultPlan(seed: seed, muted: muted)
        dice = Dice(seed: seed, purpose: 2)
        order = Dice(seed: seed, purpose: 3)
        clocks = Dice(seed: seed, purpose: 6)
        leaving = Dice(seed: seed, purpose: 8)
        partitions = Dice(seed: seed, purpose: 16)
        workers = Dice(seed: seed, purpose: 17)
        workersPerIssuer = workers.strikes(400) ? 2 : 1
    }

    /// Whether this is one of the `count` seeds in a thousand that have something.
    ///
    /// Drawn apart, so that the others are what they were without it.
    func isDrawn(_ count: Int, purpose: UInt64) -> Bool {
        var dice = Dice(seed: seed, purpose: purpose)
        return dice.strikes(count)
    }

    // MARK: - Time

    static let birth = Instant(milliseconds: 1_795_232_554_473)

    /// The true time of day.
    var wallTime: Instant {
        Instant(microseconds: Self.birth.microseconds + Int64(nanoseconds / 1000))
    }

    /// What a process takes for it.
    func wallTime(of process: SimulatedProcess) -> Instant {
        let ahead = process.errorMicroseconds + process.skewMicroseconds
        return Instant(microseconds: wallTime.microseconds + ahead)
    }

    var instant: MonotonicInstant { MonotonicInstant(nanoseconds: nanoseconds) }

    // MARK: - Clocks that are set

    /// Whether somebody has set a clock wrong by now.
    ///
    /// When it is right again, what it has made, and called over, stays.
    private(set) var hasSteppedClock = false

    /// How far clocks may be apart, in ns, and the time a request may take on the way.
    var slack: UInt64 { hasSteppedClock ? 20_000_000_000_000 : 2_000_000_000 }

    /// Somebody sets a clock wrong.
    func stepClock(of process: SimulatedProcess, byMicroseconds skew: Int64) {
        hasSteppedClock = true
        process.skewMicroseconds = skew
    }

    // MARK: - Processes and messages

    func process(_ name: String, loops: Int = 1) throws(SystemError) -> SimulatedProcess {
        // Two of them are together well below the two seconds at which one is wrong.
        let error = faults.isEnabled(.clocksApart) ? Int64(clocks.draw(1_800)) - 900 : 0
        let process = try SimulatedProcess(
            name,
            loops: loops,
            errorMicroseconds: error * 1_000
        )
        processes.append(process)
        return process
    }

    /// Ends it between two of its turns.
    func kill(_ process: SimulatedProcess) {
        process.isAlive = false
        processes.removeAll { $0 === process }
        dead.append(process)
        for action in process.onKill { action() }
        process.onKill = []
    }

    func freeze(_ process: SimulatedProcess, milliseconds: Int) {
        process.frozenUntil = nanoseconds + UInt64(milliseconds) * 1_000_000
    }

    /// The worker that a request comes to.
    func anyLoop(of process: SimulatedProcess) -> Loop {
        let count = process.loops.count
        return process.loops[count > 1 ? workers.draw(count) : 0]
    }

    /// Delivers after a delay of 20 to 500 µs, or one that is given.
    func send(afterMicroseconds delay: Int? = nil, _ deliver: @escaping () -> Void) {
        let delay = delay ?? 20 + dice.draw(480)
        messages.append(Message(due: nanoseconds + UInt64(delay) * 1000, deliver: deliver))
    }

    // MARK: - Clients that leave

    /// When, and at which await: the first ones more often, since few requests have many.
    func drawLeaving() -> (Visit.Moment, await: Int) {
        let moment = Visit.Moment.allCases[leaving.draw(Visit.Moment.allCases.count)]
        let bound = leaving.strikes(750) ? 3 : Visit.awaitsMax
        return (moment, 1 + leaving.draw(bound))
    }

    /// Microseconds for which a client stays that leaves while its request waits.
    func drawStay() -> Int { leaving.draw(leaving.strikes(200) ? 300_000 : 1_500) }

    /// Milliseconds for which somebody reads a mail while a page waits, that its client may leave.
    func drawReading() -> Int { 1_000 + leaving.draw(2_000) }

    // MARK: - Running

    /// Steps until `isDone`, or until nothing is left to do.
    ///
    /// - Returns: false when the limit of steps or of simulated time was reached first.
    @discardableResult
    func run(secondsMax: Int = 3600, until isDone: () -> Bool = { false }) -> Bool {
        let end = nanoseconds + UInt64(secondsMax) * 1_000_000_000
        while !isDone() {
            guard steps < Self.stepsMax, nanoseconds < end else { return false }
            guard step() else { return true }
        }
        return true
    }

    private func step() -> Bool {
        var ready: [Loop] = []
        for process in processes where mayGoOn(process) {
            for loop in process.loops where loop.isReady(at: instant) { ready.append(loop) }
        }
        var arrived: [Int] = []
        for index in messages.indices where messages[index].due <= nanoseconds {
            arrived.append(index)
        }
        guard ready.count + arrived.count > 0 else { return wait() }
        steps += 1
        let pick = order.draw(ready.count + arrived.count)
        if pick < ready.count {
            ready[pick].step(at: instant)
        } else {
            messages.remove(at: arrived[pick - ready.count]).deliver()
        }
        nanoseconds += UInt64(1 + order.draw(30)) * 1000
        afterStep()
        return true
    }

    private func mayGoOn(_ process: SimulatedProcess) -> Bool {
        isOver || (process.isAlive && process.frozenUntil <= nanoseconds)
    }

    /// Nothing can happen now: on to the next moment something can.
    private func wait() -> Bool {
        var next = messages.map(\.due)
        for process in processes where process.isAlive || isOver {
            if !isOver, process.frozenUntil > nanoseconds {
                next.append(process.frozenUntil)
            } else {
                for loop in process.loops {
                    if let timer = loop.nextTimer { next.append(timer.nanoseconds) }
                }
            }
        }
        guard let soonest = next.min() else { return false }
        nanoseconds = max(nanoseconds + 1, soonest)
        return true
    }

    /// Before anything begins: a time in which nobody does anything.
    func pass(milliseconds: Int64) { nanoseconds += UInt64(milliseconds) * 1_000_000 }

    /// Lets time pass: for what clients wait.
    func sleep(milliseconds: Int, on process: SimulatedProcess) async {
        let end = MonotonicInstant(nanoseconds: nanoseconds + UInt64(milliseconds) * 1_000_000)
        try? await process.loop.sleep(until: end)
    }

    /// Ends everything: what still waits hears a failure, loops run empty, memory is given back.
    func end() {
        isOver = true
        afterStep = {}
        processes += dead
        dead = []
        var left = 20_000
        while left > 0, step() { left -= 1 }
        // What waits for a kill holds its process, and that its descriptors.
        for process in processes { process.onKill = [] }
        processes = []
        messages = []
        afterEnd()
        afterEnd = {}
    }
}
