package import Domain

/// Finds the time up to which everything that happened has been published (Events 9.7).
///
/// A sample is an instant, and one more than the highest transaction that had ended by then. When
/// every transaction below has ended and its rows are published, so is everything decided before
/// the instant, but for what an issuer's clock and a statement still under way may have added, and
/// what had begun after that highest one: the relay's own heartbeat ends each second.
package struct WatermarkSampling: Hashable, Sendable {
    /// How often a sample is taken, in ms.
    package static let intervalMilliseconds: Int64 = 100
    /// Samples kept while a transaction holds the fence; further ones are left out.
    package static let samplesMax = 64
    /// What `es.append` takes is 5 s old at most when it looks, and has its transaction id within
    /// the 3 s of its statement: whatever clocks, lanes and networks did before.
    package static let marginSeconds: Int64 = 8

    private var open: [Fence] = []
    /// The time of the last reading.
    private var lastAt: Instant?
    private var oldestOpen: UInt64 = 0
    /// The instant of the newest closed sample.
    package private(set) var closedAt: Instant?

    /// Starts without samples.
    package init() {}

    /// Up to here every event is published; nil until the first sample is closed.
    package var completeThrough: Instant? { closedAt?.adding(seconds: -Self.marginSeconds) }

    /// Takes a reading made before the next rows are read.
    package mutating func sample(_ fence: Fence) {
        look(fence.at)
        oldestOpen = max(oldestOpen, fence.oldestOpen)
        if open.count < Self.samplesMax { open.append(fence) }
    }

    /// Notes a reading by a clock that is not right: it is no sample.
    package mutating func distrust(_ instant: Instant) { look(instant) }

    /// What was claimed by a clock that has gone back since lies ahead of what is decided now.
    private mutating func look(_ instant: Instant) {
        if let lastAt, instant < lastAt {
            open = []
            closedAt = nil
        }
        lastAt = instant
    }

    /// The instant that holds once every row up to `place` is published; nil when none does.
    ///
    /// To be asked when those rows are read: with `isAll`, that read found no other below the
    /// fence, and a sample taken after it must not be closed by it.
    package func closable(upTo place: LogPosition, isAll: Bool) -> Instant? {
        let closed = open.prefix { sample in
            sample.nextToBegin <= oldestOpen && (isAll || place.xid >= sample.nextToBegin)
        }
        return closed.last?.at
    }

    /// Notes that everything decided before `instant` is published.
    package mutating func close(through instant: Instant) {
        // Of before the clock went back.
        if let lastAt, instant > lastAt { return }
        closedAt = max(closedAt ?? instant, instant)
        open.removeAll { $0.at <= instant }
    }
}
