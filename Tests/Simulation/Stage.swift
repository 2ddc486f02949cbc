import Domain
import InMemory
import Issuing
import Publishing
import Runtime

/// The acts of a run: set up, play with faults, heal, look whether all is well again, and whether
/// the lead goes to who has Kafka.
struct Stage {
    let installation: Installation
    let clients: Clients
    private var world: World { installation.world }

    init(_ installation: Installation, _ clients: Clients) {
        self.installation = installation
        self.clients = clients
    }

    /// A project, a subject, a browser-session and codes; nil when that failed.
    func setUp() -> Apps? {
        let setUp = SetUp(installation)
        let made = Guarded<Apps?>(nil)
        let clients = clients
        guard world.run(secondsMax: 60, until: { installation.issuers[0].isReady }) else {
            installation.checks.broken("simulator", "no issuer is ready")
            return nil
        }
        installation.issuers[0].process.loop.spawn {
            let apps = await setUp.make(for: clients)
            made.replace(with: apps)
        }
        // A day of it may have passed before (`KeyOperator`).
        world.run(secondsMax: 100_000) { made.current != nil }
        if made.current == nil { installation.checks.broken("simulator", "the set-up failed") }
        return made.current
    }

    func play(_ apps: Apps, turns: Int) throws {
        let trouble = try Trouble(installation)
        trouble.process.loop.spawn { await trouble.run() }
        let running = Guarded(0)
        func start(_ body: @escaping @Sendable () async -> Void) {
            running.withLock { $0 += 1 }
            clients.process.loop.spawn {
                await body()
                running.withLock { $0 -= 1 }
            }
        }
        for index in clients.model.lineages.indices {
            // Some redeem when their code is about to expire, or has.
            let isLate = world.dice.strikes(50)
            let delay = isLate ? 55_000 + world.dice.draw(20_000) : 0
            let isShared = world.dice.strikes(600)
            for redeems in [true, isShared] {
                start {
                    await apps.live(
                        index,
                        turns: turns,
                        afterMilliseconds: delay,
                        redeems: redeems
                    )
                }
            }
        }
        start { await apps.end() }
        if let keys = KeyOperator(clients) { start { await keys.work() } }
        if let project = ProjectOperator(clients) { start { await project.work() } }
        if let root = RootOperator(clients) { start { await root.work() } }
        if world.dice.strikes(600) { start { await apps.signIn() } }
        clients.regular = Regular(clients)
        if let regular = clients.regular { start { await regular.live(turns: turns) } }
        clients.desk = Desk(clients)
        if let desk = clients.desk { start { await desk.live(turns: turns) } }
        for phone in apps.phones {
            start { await phone.live(turns: turns) }
            // Who is disabled and enabled again in their own time is ended by nobody else.
            guard world.dice.strikes(200), !phone.isSuspended else { continue }
            let delay = world.dice.draw(60_000)
            let isErased = world.dice.strikes(700)
            start { [world, clients] in
                await world.sleep(milliseconds: delay, on: clients.process)
                await phone.end(erasing: isErased)
            }
        }
        let checks = installation.checks
        let isDone = world.run(secondsMax: 3600) {
            running.current == 0 || !checks.violations.isEmpty
        }
        if !isDone { checks.broken("I16", "the run did not come to its end") }
    }

    /// No more faults; within a minute everything is published and applied (I10, I11).
    func heal() {
        world.faults.isOn = false
        installation.topic.comeBack()
        let database = installation.database
        let checks = installation.checks
        let all = installation.issuers.map(\.process) + installation.relays
        for process in all + installation.projectors {
            process.frozenUntil = 0
            process.skewMicroseconds = 0
            process.reconnect()
        }
        let isWhole = world.run(secondsMax: 120) {
            guard checks.violations.isEmpty else { return true }
            let last = Int64(database.rows.count) - 1
            return checks.topic.countHere == database.rows.count
                && database.relay.ledger.count == database.rows.count
                && database.model.frontier == last && database.model.outbox.isEmpty
                && database.model.revocationsCluster == installation.topic.clusterID
                && checks.model.compare(database, installation.topic) == nil
        }
        guard checks.topic.countHere == database.rows.count else {
            return checks.broken("I10", "the log is not published two minutes after the faults")
        }
        guard isWhole else {
            return checks.broken("I11", "the log is not told two minutes after the faults")
        }
        checks.model.compare(database) { checks.broken($0, $1) }
        if let difference = checks.model.compare(database, installation.topic) {
            checks.broken("I11", difference)
        }
        checks.revocations.allIsTold()
        checks.afterStep()
        // Whatever ended half is recorded to its end, whether or not anybody comes again.
        guard world.run(secondsMax: 120, until: { database.unfollowed.isEmpty }) else {
            return checks.broken("I4", "ends are not followed two minutes after the faults")
        }
        clients.model.judgeCascade()
        if let left = checks.log.endings.leftOpen(cascading: installation.cascading) {
            checks.broken("I4", left)
        }
    }

    /// Every session answers.
    func settle(_ apps: Apps) {
        // Issuers that were killed are back, a commit that its standby holds up is over, and the
        // lane behind it has seen that.
        world.run(secondsMax: 30) {
            installation.issuers.allSatisfy { $0.isReady && $0.process.isAlive }
                && installation.database.isQuiet
        }
        liftSuspension()
        // What each does every five seconds: one that has heard of a key that is given up and not
        // of its successor signs nothing, and no conflict would tell it.
        for issuer in installation.issuers {
            issuer.process.loop.spawn {
                let deadline = issuer.clock.deadline(inMilliseconds: 1_000)
                try? await issuer.projects.reload(issuer.projects.number, by: deadline)
            }
        }
        world.run(secondsMax: 2) { false }
        clients.model.isCalm = true
        clients.phoneModel?.isCalm = true
        installation.checks.suspension.isOver = true
        let isDone = Guarded(false)
        clients.process.loop.spawn {
            await apps.probe()
            for phone in apps.phones { await phone.probe() }
            await clients.regular?.probe()
            await clients.desk?.probe()
            isDone.replace(with: true)
        }
        world.run(secondsMax: 60) { isDone.current }
        if !isDone.current { installation.checks.broken("I16", "the probes were not answered") }
        let commands = installation.checks.commands
        guard world.run(secondsMax: 30, until: { commands.areAllOver }) else {
            return installation.checks.broken("I16", "a request did not come to its end")
        }
        tryTurnstiles()
    }

    /// An order to suspend that nobody heard of may have run when the project went on already.
    private func liftSuspension() {
        guard let project = ProjectOperator(clients) else { return }
        let commands = installation.checks.commands
        world.run(secondsMax: 30) { commands.areAllOver }
        let isDone = Guarded(false)
        clients.process.loop.spawn {
            await project.resume()
            isDone.replace(with: true)
        }
        world.run(secondsMax: 60) { isDone.current }
    }

    /// A relay and a projector lose Kafka for good and keep PostgreSQL: those that have both lead
    /// before long (decision 0197).
    ///
    /// The last act, so that a seed is what it was up to here, and not of every seed: who waits for
    /// Kafka takes many steps.
    func handOver() {
        guard world.faults.isEnabled(.cutOff) else { return }
        let begin = world.wallTime
        let relay = world.partitions.draw(installation.relays.count)
        let projector = world.partitions.draw(installation.projectors.count)
        for process in [installation.relays[relay], installation.projectors[projector]] {
            process.cutOff(from: .kafka, until: .max)
        }
        // Whoever led is patient for 20 s, as Kafka has just confirmed something; who takes over
        // asks each second, and a watermark stays 8 s behind. One that took the lead back would
        // leave it again after 60 s.
        let database = installation.database
        let isTold = world.run(secondsMax: 50) {
            database.model.complete.map { $0.completeThrough > begin } ?? false
        }
        if isTold { return }
        guard world.steps < World.stepsMax else {
            return installation.checks.broken("simulator", "out of steps before who leads is seen")
        }
        installation.checks.broken("I11", "who has lost Kafka leads beside who has it")
    }

    /// Nobody works any more: whoever comes to a stream is let in.
    private func tryTurnstiles() {
        let checks = installation.checks
        let left = Guarded(installation.issuers.count)
        for node in installation.issuers {
            let streams = checks.commands.turns(at: node.process)
            node.process.loop.spawn {
                for stream in streams {
                    let deadline = node.clock.deadline(inMilliseconds: 2000)
                    do { try await node.store.enter(stream, by: deadline) } catch {
                        checks.broken("I16", "a turnstile lets nobody in any more")
                        break
                    }
                    node.store.leave(stream)
                }
                left.withLock { $0 -= 1 }
            }
        }
        world.run(secondsMax: 60) { left.current == 0 }
        if left.current > 0 { checks.broken("I16", "a turnstile does not answer") }
    }
}
