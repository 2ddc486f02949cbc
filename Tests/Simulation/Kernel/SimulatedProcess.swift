import Runtime

// @unchecked: touched by the one thread that runs the simulation.
/// A process: its loops, which the world steps; what is not in a loop is lost with it.
final class SimulatedProcess: @unchecked Sendable {
    /// What a process talks to.
    enum Server: CaseIterable { case postgreSQL, kafka }

    let name: String
    /// Nearly always one: a second one is a second worker of an issuer.
    let loops: [Loop]
    /// False: killed; its loops are not stepped any more.
    var isAlive = true
    /// Until then it stands still, as under SIGSTOP or a long pause of the machine.
    var frozenUntil: UInt64 = 0
    /// Until then the network between it and a server is away.
    private var cutOffUntil: [Server: UInt64] = [:]
    /// How far its wall clock is ahead, all the time.
    let errorMicroseconds: Int64
    /// By how much somebody has set it wrong, for a while.
    var skewMicroseconds: Int64 = 0
    /// Called when it is killed: its connections close.
    var onKill: [() -> Void] = []

    init(_ name: String, loops count: Int = 1, errorMicroseconds: Int64) throws(SystemError) {
        self.name = name
        self.errorMicroseconds = errorMicroseconds
        var loops: [Loop] = []
        for _ in 0..<max(1, count) { loops.append(try Loop(name: name)) }
        self.loops = loops
    }

    /// The one that is stepped, if it is one of its own; else its first.
    var loop: Loop { loops.first(where: \.isCurrent) ?? loops[0] }

    func cutOff(from server: Server, until end: UInt64) {
        cutOffUntil[server] = max(end, cutOffUntil[server] ?? 0)
    }

    func isCutOff(from server: Server, at now: UInt64) -> Bool {
        cutOffUntil[server].map { $0 > now } ?? false
    }

    func reconnect() { cutOffUntil = [:] }
}
