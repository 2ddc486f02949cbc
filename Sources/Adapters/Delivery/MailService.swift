internal import Domain
package import Issuing
package import Runtime

// @unchecked: touched on `loop` alone.
/// Sends the mails that are due until the process ends, and then gives back what it still holds.
///
/// Several at a time, and a mail is leased only when it can be begun: one that the relay hangs over
/// holds up no other, and none waits here that another node could send (decision 0199).
package final class MailService: @unchecked Sendable {
    /// What it waits for, and how long.
    package struct Times: Sendable {
        /// How often mails are looked for that other nodes queued, or put off.
        package var lookInterval = Duration.seconds(1)
        /// How long the end waits for the mails that are being handed to the relay.
        package var transmissionMax = Duration.seconds(5)
        /// For one mail: the relay's part (`SMTPMailSender.transmissionMax`), and the log's.
        ///
        /// Twice, for leasing it and for sending it, is less than its lease of 30 s.
        package var deadlineMilliseconds = 14_000

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
    /// How many mails may be on their way at once: relays count the connections of a client.
    private var connections: Int
    /// Leased, and neither sent nor put off.
    private var onTheWay: [DueMail] = []
    private var isRunning = false
    private var isEnding = false

    package init(
        _ dispatch: MailDispatch,
        connections: Int,
        clock: any Pause,
        on loop: Loop,
        _ metrics: Metrics,
        log: Log,
        times: Times = Times()
    ) {
        counts = MailCounts(metrics)
        self.dispatch = dispatch
        self.connections = connections
        self.clock = clock
        self.loop = loop
        self.log = log
        self.times = times
        due = LoopSignal(on: loop)
        ended = LoopSignal(on: loop)
    }

    /// A mail was queued on this node; from any thread.
    package func mailIsDue() { due.raise() }

    /// From now on so many mails may be on their way; from any thread.
    package func use(connections: Int) {
        loop.post { [self] in
            self.connections = connections
            due.raise()
        }
    }

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

    /// Waits for the mails on their way.
    ///
    /// What the relay does not take in time is given back: it would be sent again all the same,
    /// only later, when its lease is over.
    package func finish() async {
        let limit = loop.now.advanced(by: times.transmissionMax)
        while isRunning || !onTheWay.isEmpty, MonotonicInstant.now() < limit {
            await ended.wait(until: limit)
        }
        guard !onTheWay.isEmpty else { return }
        log.notice("mails are given back", .field("count", onTheWay.count))
        await giveBack(onTheWay)
    }

    private func run() async {
        while !isEnding {
            let room = connections - onTheWay.count
            if room > 0, await begin(room) == room { continue }
            guard !isEnding else { break }
            await due.wait(until: loop.now.advanced(by: times.lookInterval))
        }
        isRunning = false
        ended.raise()
    }

    /// Begins what is due, `room` mails at most; how many, 0 when the queue did not answer.
    private func begin(_ room: Int) async -> Int {
        do {
            let mails = try await dispatch.lease(upTo: room, by: deadline)
            guard !isEnding else {
                await giveBack(mails)
                return 0
            }
            for mail in mails {
                onTheWay.append(mail)
                loop.spawn { [self] in await send(mail) }
            }
            return mails.count
        } catch {
            log.warning("mails wait", .field("error", "\(error)"), .field("next", error.next))
            return 0
        }
    }

    private func send(_ mail: DueMail) async {
        do {
            let delivery = try await dispatch.deliver(mail, by: deadline)
            counts.count(delivery)
            if case .givenUp(let code) = delivery {
                log.warning("a mail was given up", .field("smtp_reply", code))
            }
        } catch {
            log.warning(
                "a mail waits for its lease",
                .field("error", "\(error)"),
                .field("next", error.next)
            )
        }
        let wasFull = onTheWay.count >= connections
        onTheWay.removeAll { $0 == mail }
        if wasFull { due.raise() }
        if isEnding { ended.raise() }
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

extension StoreError {
    /// What an operator does where mails wait for the log.
    fileprivate var next: String {
        switch self {
        case .unavailable, .outcomeUnknown, .conflict:
            "it is tried again by itself; if this stays: /readyz, then chancery doctor"
        case .corrupt: "during an upgrade finish it; else see ST-003 in Errors.md"
        }
    }
}
