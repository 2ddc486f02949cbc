internal import Domain
package import Issuing
package import Runtime

// @unchecked: touched on `loop` alone.
/// Sends the mails that are due until the process ends, and then gives back what it still holds.
package final class MailService: @unchecked Sendable {
    /// What it waits for, and how long.
    package struct Times: Sendable {
        /// How often mails are looked for that other nodes queued, or put off.
        package var lookInterval = Duration.seconds(1)
        /// How long the end waits for the mail that is being handed to the relay.
        package var transmissionMax = Duration.seconds(5)
        /// For one mail: the relay's part (`SMTPMailSender.transmissionMax`), and the log's.
        package var deadlineMilliseconds = 14_000
        /// No mail is begun later, so that the last one is recorded within its lease of 30 s.
        package var batchMax = Duration.seconds(15)

        package init() {}
    }

    private let dispatch: MailDispatch
    private let due: LoopSignal
    private let clock: any Pause
    private let loop: Loop
    private let counts: MailCounts
    private let log: Log
    private let times: Times
    private let ended: LoopSignal
    /// Leased, and neither sent nor put off: the first is on its way.
    private var held: [DueMail] = []
    private var isRunning = false
    private var isEnding = false

    package init(
        _ dispatch: MailDispatch,
        clock: any Pause,
        on loop: Loop,
        _ metrics: Metrics,
        log: Log,
        times: Times = Times()
    ) {
        counts = MailCounts(metrics)
        self.dispatch = dispatch
        self.clock = clock
        self.loop = loop
        self.log = log
        self.times = times
        due = LoopSignal(on: loop)
        ended = LoopSignal(on: loop)
    }

    /// A mail was queued on this node; from any thread.
    package func mailIsDue() { due.raise() }

    /// Begins; on the loop.
    package func start() {
        isRunning = true
        loop.spawn { [self] in await run() }
    }

    /// From now on no mail is begun; on the loop.
    package func end() {
        isEnding = true
        due.raise()
    }

    /// Waits for the mail on its way, and gives the others back: another node sends them at once.
    ///
    /// A mail the relay does not take in time is given back too: it would be sent again all the
    /// same, only later, when its lease is over.
    package func finish() async {
        let limit = loop.now.advanced(by: times.transmissionMax)
        while isRunning, MonotonicInstant.now() < limit { await ended.wait(until: limit) }
        guard !held.isEmpty else { return }
        log.notice("mails are given back", .field("count", held.count))
        await giveBack(held)
    }

    private func run() async {
        while !isEnding {
            if await pass() == MailDispatch.mailsPerRun { continue }
            guard !isEnding else { break }
            await due.wait(until: loop.now.advanced(by: times.lookInterval))
        }
        isRunning = false
        ended.raise()
    }

    /// The number of mails that were due, 0 when they could not be sent.
    private func pass() async -> Int {
        let limit = MonotonicInstant.now().advanced(by: times.batchMax)
        do {
            held = try await dispatch.lease(by: deadline)
            let count = held.count
            while let mail = held.first, !isEnding {
                guard MonotonicInstant.now() < limit else {
                    // Behind a relay that is slow: the others are leased anew, the oldest first.
                    try await dispatch.giveBack(held, by: deadline)
                    held = []
                    break
                }
                let delivery = try await dispatch.deliver(mail, by: deadline)
                counts.count(delivery)
                if case .givenUp(let code) = delivery {
                    log.warning("a mail was given up", .field("smtp_reply", code))
                }
                held.removeFirst()
            }
            return count
        } catch {
            log.warning("mails wait", .field("error", "\(error)"))
            // The first waits for its lease, so that a mail that cannot be sent stops no others.
            let others = Array(held.dropFirst())
            held = []
            await giveBack(others)
            return 0
        }
    }

    private var deadline: Deadline {
        clock.deadline(inMilliseconds: times.deadlineMilliseconds)
    }

    private func giveBack(_ mails: [DueMail]) async {
        do {
            try await dispatch.giveBack(mails, by: clock.deadline(inMilliseconds: 2_000))
        } catch { log.warning("mails wait for their leases", .field("error", "\(error)")) }
    }
}
