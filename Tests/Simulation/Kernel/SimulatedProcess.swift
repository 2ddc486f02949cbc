import Runtime

// @unchecked: touched by the one thread that runs the simulation.
/// A process: one loop, which the world steps; what is not in a loop is lost with it.
final class SimulatedProcess: @unchecked Sendable {
    let name: String
    let loop: Loop
    /// False: killed; its loop is not stepped any more.
    var isAlive = true
    /// Until then it stands still, as under SIGSTOP or a long pause of the machine.
    var frozenUntil: UInt64 = 0
    /// Until then the network between it and PostgreSQL is away.
    var cutOffUntil: UInt64 = 0
    /// How far its wall clock is ahead, all the time.
    let errorMicroseconds: Int64
    /// By how much somebody has set it wrong, for a while.
    var skewMicroseconds: Int64 = 0
    /// Called when it is killed: its connections close.
    var onKill: [() -> Void] = []

    init(_ name: String, errorMicroseconds: Int64) throws(SystemError) {
        self.name = name
        self.errorMicroseconds = errorMicroseconds
        loop = try Loop(name: name)
    }
}
