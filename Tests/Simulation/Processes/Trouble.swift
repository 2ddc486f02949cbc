import Runtime

/// Faults that strike processes and servers, not calls: looked for every few milliseconds.
struct Trouble: Sendable {
    let installation: Installation
    let process: SimulatedProcess
    private var world: World { installation.world }

    init(_ installation: Installation) throws {
        self.installation = installation
        process = try installation.world.process("trouble")
    }

    func run() async {
        while !world.isOver, world.faults.isOn {
            strike()
            await world.sleep(milliseconds: 5 + world.dice.draw(200), on: process)
        }
    }

    private func strike() {
        let issuers = installation.issuers.map(\.process)
        if world.faults.strikes(.issuerKilled) { installation.kill(any(issuers)) }
        if world.faults.strikes(.issuerFrozen) { freeze(any(issuers)) }
        if world.faults.strikes(.relayKilled) { installation.kill(any(installation.relays)) }
        if world.faults.strikes(.relayFrozen) { freeze(any(installation.relays)) }
        if world.faults.strikes(.projectorKilled) {
            installation.kill(any(installation.projectors))
        }
        if world.faults.strikes(.projectorFrozen) { freeze(any(installation.projectors)) }
        if world.faults.strikes(.idleTransaction) {
            installation.database.idle(milliseconds: world.dice.draw(8_000))
        }
        if world.faults.strikes(.brokersAway) {
            installation.topic.goAway(milliseconds: world.dice.draw(15_000))
        }
        if world.faults.strikes(.cutOff) { cutOff() }
        if world.faults.strikes(.clusterReplaced) { replaceCluster() }
        if world.faults.strikes(.tailLost) { loseTails() }
        if world.faults.strikes(.clockStep) {
            let process = any(issuers + installation.relays + installation.projectors)
            // By hours, or by less than anybody takes for wrong.
            let skew =
                world.dice.strikes(500)
                ? (Int64(world.dice.draw(14_400)) - 7_200) * 1_000_000
                : (Int64(world.dice.draw(3_600)) - 1_800) * 1_000
            world.stepClock(of: process, byMicroseconds: skew)
            // Somebody sets it right again, sooner or later.
            world.send(afterMicroseconds: world.dice.draw(20_000_000)) {
                process.skewMicroseconds = 0
            }
        }
    }

    /// One process loses one server or both; for long enough, now and then, that another one is to
    /// take its place.
    private func cutOff() {
        let issuers = installation.issuers.map(\.process)
        let all = issuers + installation.relays + installation.projectors
        let process = all[world.partitions.draw(all.count)]
        let seconds = world.partitions.strikes(300) ? 30_000 : 6_000
        let end = world.nanoseconds + UInt64(world.partitions.draw(seconds)) * 1_000_000
        let which = world.partitions.draw(3)
        if which != 0 { process.cutOff(from: .kafka, until: end) }
        if which != 1 { process.cutOff(from: .postgreSQL, until: end) }
    }

    private func replaceCluster() {
        installation.topic.replaceCluster()
        again { $0.replaceCluster() }
    }

    private func loseTails() {
        installation.topic.loseTails()
        again { $0.loseTails() }
    }

    /// Often twice: the next one comes while the relay is filling the first.
    private func again(_ strike: @escaping (SimulatedTopic) -> Void) {
        guard world.dice.strikes(600) else { return }
        let soon = world.dice.strikes(500) ? 50_000 : 3_000_000
        world.send(afterMicroseconds: world.dice.draw(soon)) { [world, installation] in
            if world.faults.isOn { strike(installation.topic) }
        }
    }

    private func freeze(_ process: SimulatedProcess) {
        world.freeze(process, milliseconds: 100 + world.dice.draw(20_000))
    }

    private func any(_ processes: [SimulatedProcess]) -> SimulatedProcess {
        processes[world.dice.draw(processes.count)]
    }
}
