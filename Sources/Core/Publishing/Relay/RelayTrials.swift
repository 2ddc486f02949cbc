/// How a relay fares over its terms: what one of them cannot know.
struct RelayTrials: Hashable, Sendable {
    /// The longest pause between terms that fail.
    static let pauseSecondsMax: UInt64 = 30

    /// When all there was had been published, on the monotonic clock; at first when this relay
    /// began to try.
    private(set) var soundAt: UInt64
    /// Terms in a row that ended before anything was published.
    private(set) var failures: UInt64 = 0

    init(at now: UInt64) { soundAt = now }

    /// Something was published, or there was nothing to publish.
    mutating func succeeded(at now: UInt64) { self = Self(at: now) }

    /// Another relay does it.
    mutating func stoodBy(at now: UInt64) { self = Self(at: now) }

    /// A term ended by the log's doing; answers for how long to rest, in seconds: what cannot be
    /// kept would be published again each time.
    mutating func failed() -> UInt64 {
        failures += 1
        return failures > 5 ? Self.pauseSecondsMax : min(1 << (failures - 1), Self.pauseSecondsMax)
    }

    /// For how long nothing was published, nor known to be, in ms: what waits was not even read.
    ///
    /// Below a second that is no more than the pace.
    func silenceMilliseconds(at now: UInt64) -> Int64 {
        let passed = now > soundAt ? Int64((now - soundAt) / 1_000_000) : 0
        return passed < 1000 ? 0 : passed
    }
}
