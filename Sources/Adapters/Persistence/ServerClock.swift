package import Domain
internal import Issuing
internal import Postgres
internal import Publishing
package import Runtime

/// Compares the database's clock with ours, once a second.
///
/// Watermarks are made by that clock, events by ours: beyond two seconds the one says nothing of
/// the other, and this node must not decide (Security 13).
package final class ServerClock: Sendable {
    private static let pause = Duration.seconds(1)
    /// While nothing is known yet nothing may be decided.
    private static let firstPause = Duration.milliseconds(50)
    private static let answerMax = Duration.seconds(2)

    private let database: Database
    private let loop: Loop
    private let log: Log
    let ourTime: @Sendable () -> Instant
    private let reading = Guarded<ClockReading?>(nil)
    private let isAlarming = Guarded(false)

    /// Asks over a connection of `database`, which has one for `loop`.
    package init(
        _ database: Database,
        on loop: Loop,
        log: Log,
        ourTime: @escaping @Sendable () -> Instant = {
            Instant(microseconds: WallTime.nowMicroseconds())
        }
    ) {
        self.database = database
        self.loop = loop
        self.log = log
        self.ourTime = ourTime
    }

    /// By how much the server's clock is ahead, in ms; nil before it has answered once.
    package var skewMilliseconds: Int64? {
        let monotonic = MonotonicInstant.now().nanoseconds
        return reading.current?.milliseconds(at: ourTime(), monotonic: monotonic)
    }

    /// Nil unless the clocks are too far apart, or nobody knows yet: a check of `/readyz`, and of
    /// every request that needs the time.
    package var problem: String? {
        guard let skew = skewMilliseconds else { return "the database's clock was not read yet" }
        guard ClockSkew.isWrong(skew) else { return nil }
        return "the database's clock differs from ours by \(skew) ms"
    }

    /// Shows the difference as `chancery_clock_skew_seconds`.
    package func publish(to metrics: Metrics) {
        metrics.observe(
            "chancery_clock_skew_seconds",
            "The database's clock minus ours, as seen last."
        ) { [self] in skewMilliseconds.map { Double($0) / 1000 } }
    }

    /// Asks again and again until the loop ends.
    package func run() async {
        while !loop.isStopping {
            await look()
            let pause = reading.current == nil ? Self.firstPause : Self.pause
            try? await loop.sleep(until: loop.now.advanced(by: pause))
        }
    }

    /// Asks once; false without an answer: what was known stays.
    @discardableResult
    package func look() async -> Bool {
        let asked = MonotonicInstant.now()
        let limit = asked.advanced(by: Self.answerMax)
        guard
            let theirs = try? await database.query(
                .serverClock,
                by: Deadline(nanoseconds: limit.nanoseconds)
            ).first
        else { return false }
        let (now, monotonic) = (ourTime(), MonotonicInstant.now().nanoseconds)
        let latest = ClockReading(
            of: theirs,
            at: now,
            monotonic: monotonic,
            waited: monotonic - asked.nanoseconds
        )
        let new = latest.milliseconds(at: now, monotonic: monotonic)
        reading.replace(with: latest)
        let isAlarm = ClockSkew.isAlarming(new)
        guard isAlarming.replace(with: isAlarm) != isAlarm else { return true }
        if isAlarm {
            log.error("the database's clock differs from ours", .field("milliseconds", new))
        } else {
            log.notice("the database's clock is ours again")
        }
        return true
    }
}

extension Statement where Row == Instant {
    static var serverClock: Self {
        Statement(PackageResources.server_clock_sql) { row throws(PostgresError) in
            Instant(microseconds: try row.timestamp(0))
        }
    }
}
