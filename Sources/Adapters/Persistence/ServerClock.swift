package import Domain
internal import Issuing
internal import Postgres
internal import Publishing
package import Runtime

/// Compares the database's clock with ours, once a second.
///
/// Watermarks are made by that clock, events by ours: beyond two seconds the one says nothing of
/// the other, and this node must not decide (security.md section 13).
package final class ServerClock: Sendable {
    private static let pause = Duration.seconds(1)
    private static let answerMax = Duration.seconds(2)

    private let database: Database
    private let loop: Loop
    private let log: Log
    private let ourTime: @Sendable () -> Instant
    private let skew = Guarded<Int64?>(nil)

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

    /// By how much the server's clock was ahead when it was asked last, in ms; nil before.
    package var skewMilliseconds: Int64? { skew.current }

    /// Nil unless the clocks are too far apart: a check of `/readyz`.
    package var problem: String? {
        guard let skew = skew.current, ClockSkew.isWrong(skew) else { return nil }
        return "the database's clock differs from ours by \(skew) ms"
    }

    /// Shows the difference as `chancery_clock_skew_seconds`.
    package func publish(to metrics: Metrics) {
        metrics.observe(
            "chancery_clock_skew_seconds",
            "The database's clock minus ours, as seen last."
        ) { [skew] in skew.current.map { Double($0) / 1000 } }
    }

    /// Asks again and again until the loop ends.
    package func run() async {
        while !loop.isStopping {
            await look()
            try? await loop.sleep(until: loop.now.advanced(by: Self.pause))
        }
    }

    /// Asks once; without an answer, what was known stays.
    package func look() async {
        let asked = ourTime()
        let limit = MonotonicInstant.now().advanced(by: Self.answerMax)
        guard
            let theirs = try? await database.query(
                .serverClock,
                by: Deadline(nanoseconds: limit.nanoseconds)
            ).first
        else { return }
        let new = ClockSkew.milliseconds(of: theirs, askedAt: asked, answeredAt: ourTime())
        let isNew = ClockSkew.isAlarming(new) != ClockSkew.isAlarming(skew.current ?? 0)
        skew.replace(with: new)
        guard isNew else { return }
        if ClockSkew.isAlarming(new) {
            log.error("the database's clock differs from ours", .field("milliseconds", new))
        } else {
            log.notice("the database's clock is ours again")
        }
    }
}

extension Statement where Row == Instant {
    static var serverClock: Self {
        Statement(PackageResources.server_clock_sql) { row throws(PostgresError) in
            Instant(microseconds: try row.timestamp(0))
        }
    }
}
