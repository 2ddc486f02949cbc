package import Domain
internal import Issuing
package import Runtime

/// Counts requests per key in this node's memory, by the generic cell rate algorithm.
///
/// One number per key: the instant its bucket is empty again. At most `keysMax` keys; past that new
/// keys share one bucket, so a flood of addresses limits itself and not those already known.
package final class RequestLimits: Sendable {
    package static let keysMax = 100_000
    private static let developmentFactor = 100
    /// An address of the network, a project and a client's name as far as it counts.
    private static let keyBytes = 80

    /// A key in words: a table compares with what it holds, and would count a reference to each
    /// array of bytes that it passes.
    private struct Key: Hashable {
        private static let inlineBytes = 32

        /// The limit, and how many bytes the key has: that tells nought from nothing.
        let head: UInt64
        let first, second, third, fourth: UInt64
        /// What does not fit: few have names as long as that.
        let rest: [UInt64]

        init(_ limit: RequestLimit, _ key: [UInt8]) {
            head = UInt64(limit.ordinal) << 32 | UInt64(key.count)
            first = Self.word(of: key, from: 0)
            second = Self.word(of: key, from: 8)
            third = Self.word(of: key, from: 16)
            fourth = Self.word(of: key, from: 24)
            rest =
                key.count <= Self.inlineBytes
                ? []
                : stride(from: Self.inlineBytes, to: key.count, by: 8)
                    .map { Self.word(of: key, from: $0) }
        }

        // As many words as there are: an address is one, a session and what it is asked for three.
        func hash(into hasher: inout Hasher) {
            hasher.combine(head)
            hasher.combine(first)
            let bytes = UInt32(truncatingIfNeeded: head)
            if bytes > 8 { hasher.combine(second) }
            if bytes > 16 { hasher.combine(third) }
            if bytes > 24 { hasher.combine(fourth) }
            if bytes > 32 { hasher.combine(rest) }
        }

        /// That of no key: the bucket that all share.
        var isShared: Bool { UInt32(truncatingIfNeeded: head) == 0 }

        /// Up to eight bytes, the last of them lowest; nought where the key has none.
        private static func word(of key: [UInt8], from start: Int) -> UInt64 {
            guard start < key.count else { return 0 }
            let bytes = key.span.extracting(start..<min(start + 8, key.count))
            var word: UInt64 = 0
            for place in bytes.indices { word = word << 8 | UInt64(bytes[place]) }
            return word
        }
    }

    private struct Cell {
        let intervalNanoseconds: UInt64
        let toleranceNanoseconds: UInt64

        init?(_ rate: RequestLimit.Rate) {
            guard rate.perMinute > 0 else { return nil }
            intervalNanoseconds = 60_000_000_000 / UInt64(rate.perMinute)
            toleranceNanoseconds = intervalNanoseconds * UInt64(max(0, rate.burst - 1))
        }

        /// `factor` times as many a minute, and at once.
        init(_ factor: Int, times cell: Self) {
            intervalNanoseconds = cell.intervalNanoseconds / UInt64(factor)
            let burst = cell.toleranceNanoseconds + cell.intervalNanoseconds
            toleranceNanoseconds = burst - intervalNanoseconds
        }

        /// How long one more would have to wait; nil: not at all.
        func wait(until emptyAt: UInt64, at now: UInt64) -> UInt64? {
            guard emptyAt > now, emptyAt - now > toleranceNanoseconds else { return nil }
            return emptyAt - now - toleranceNanoseconds
        }

        /// Counts one; when it is one too many, how long to wait, and nothing is counted.
        func take(from emptyAt: inout UInt64, at now: UInt64) -> UInt64? {
            let start = max(emptyAt, now)
            guard start - now <= toleranceNanoseconds else {
                return start - now - toleranceNanoseconds
            }
            emptyAt = start + intervalNanoseconds
            return nil
        }

        /// Counts one in any case, until two bursts are counted.
        func charge(to emptyAt: inout UInt64, at now: UInt64) {
            let most = now + 2 * (toleranceNanoseconds + intervalNanoseconds)
            emptyAt = min(max(emptyAt, now) + intervalNanoseconds, most)
        }
    }

    private let hits: [Counter]
    private let table: Guarded<Table>
    private let isForDevelopment: Bool
    private let clock: @Sendable () -> UInt64

    /// `clock`: monotonic nanoseconds; `rates` replaces standard ones.
    package init(
        _ rates: [RequestLimit: RequestLimit.Rate] = [:],
        isForDevelopment: Bool = false,
        metrics: Metrics,
        clock: @escaping @Sendable () -> UInt64 = { MonotonicInstant.now().nanoseconds }
    ) {
        hits = RequestLimit.allCases.map { limit in
            metrics.counter(
                "chancery_limit_hits_total",
                "Requests refused by a rate limit.",
                ["limit": limit.rawValue]
            )
        }
        table = Guarded(Table(Self.cells(rates, isForDevelopment)))
        self.isForDevelopment = isForDevelopment
        self.clock = clock
    }

    /// Counts by these rates from now on; what was counted stays counted.
    package func replace(rates: [RequestLimit: RequestLimit.Rate]) {
        let cells = Self.cells(rates, isForDevelopment)
        table.withLock { $0.cells = cells }
    }

    private static func cells(_ rates: [RequestLimit: RequestLimit.Rate], _ isForDevelopment: Bool)
        -> [Cell?]
    {
        RequestLimit.allCases.map { limit in
            var rate = rates[limit] ?? limit.standard
            if isForDevelopment, limit.isWiderInDevelopment {
                rate.perMinute *= developmentFactor
                rate.burst *= developmentFactor
            }
            return Cell(rate)
        }
    }

    /// The key of what calls itself `client`: two projects may have clients of one name.
    ///
    /// The name is cut: a long one must not make keys as long as bodies. `address`: where it is
    /// counted apart, if anywhere.
    package static func key(
        _ client: some Sequence<UInt8>,
        of project: ProjectNumber,
        at address: ClientAddress? = nil
    ) -> [UInt8] {
        var key: [UInt8] = []
        key.reserveCapacity(Self.keyBytes)
        if let address {
            key.append(contentsOf: address.limitKey)
            key.append(0)
        }
        project.append(to: &key)
        key.append(contentsOf: client.prefix(64))
        return key
    }

    /// Counts one request; when it is one too many nothing is counted and the seconds to wait
    /// come back.
    ///
    /// An empty key is the bucket that all share.
    package func take(_ limit: RequestLimit, _ key: [UInt8]) -> Int? {
        let now = clock()
        let key = Key(limit, key)
        let wait: UInt64? = table.withLock { table in
            guard let cell = table.cells[limit.ordinal] else { return nil }
            return table.change(limit, key, at: now) { cell.take(from: &$0, at: now) }
        }
        return refused(limit, wait)
    }

    /// As above, by where it comes from: from an IPv6 /48 as many come in as from four addresses.
    package func take(_ limit: RequestLimit, from client: ClientAddress) -> Int? {
        guard let wider = client.widerLimitKey else { return take(limit, client.limitKey) }
        let now = clock()
        let (key, widerKey) = (Key(limit, client.limitKey), Key(limit, wider))
        let wait: UInt64? = table.withLock { table in
            guard let cell = table.cells[limit.ordinal] else { return nil }
            let widerCell = Cell(NetworkAddress.widerFactor, times: cell)
            // A flood of keys leaves no room for it, and must not refuse who is known.
            let isCounted = table.hasRoom(for: widerKey, at: now)
            // First: whoever is one too many there takes nothing of its own.
            if isCounted, let start = table.emptyAt(limit, widerKey),
                let wait = widerCell.wait(until: start, at: now)
            {
                return wait
            }
            let wait = table.change(limit, key, at: now) { cell.take(from: &$0, at: now) }
            if wait == nil, isCounted {
                table.change(limit, widerKey, at: now) { widerCell.charge(to: &$0, at: now) }
            }
            return wait
        }
        return refused(limit, wait)
    }

    /// As `take`, without counting: for limits that count failures only.
    package func check(_ limit: RequestLimit, _ key: [UInt8]) -> Int? {
        refused(limit, waitNanoseconds(limit, key))
    }

    /// As `check`, for who may ask again before it refuses, and then tells `hit`.
    package func wait(_ limit: RequestLimit, _ key: [UInt8]) -> Int? {
        waitNanoseconds(limit, key).map(Self.seconds)
    }

    /// Counts a refusal that `wait` led to.
    package func hit(_ limit: RequestLimit) { hits[limit.ordinal].add() }

    private func waitNanoseconds(_ limit: RequestLimit, _ key: [UInt8]) -> UInt64? {
        let now = clock()
        let key = Key(limit, key)
        return table.withLock { table -> UInt64? in
            guard let cell = table.cells[limit.ordinal], let start = table.emptyAt(limit, key)
            else { return nil }
            return cell.wait(until: start, at: now)
        }
    }

    /// Counts one that `check` let in, also when it is one too many.
    ///
    /// Those that were let in together are all counted, up to twice the burst (decision 0122).
    package func charge(_ limit: RequestLimit, _ key: [UInt8]) {
        let now = clock()
        let key = Key(limit, key)
        table.withLock { table in
            guard let cell = table.cells[limit.ordinal] else { return }
            table.change(limit, key, at: now) { cell.charge(to: &$0, at: now) }
        }
    }

    private func refused(_ limit: RequestLimit, _ waitNanoseconds: UInt64?) -> Int? {
        guard let waitNanoseconds else { return nil }
        hit(limit)
        return Self.seconds(waitNanoseconds)
    }

    private static func seconds(_ waitNanoseconds: UInt64) -> Int {
        max(1, Int((waitNanoseconds + 999_999_999) / 1_000_000_000))
    }

    private struct Table {
        private static let sweepIntervalNanoseconds: UInt64 = 1_000_000_000

        /// By the ordinal of the limit; nil for no limit.
        var cells: [Cell?]
        /// By the ordinal of the limit: of those without a bucket of their own.
        private var shared: [UInt64]
        private var emptyAt: [Key: UInt64] = [:]
        private var nextSweep: UInt64 = 0

        init(_ cells: [Cell?]) {
            self.cells = cells
            shared = cells.map { _ in 0 }
        }

        /// Changes when the key's own bucket is empty while there is room, else the shared one.
        mutating func change<Result>(
            _ limit: RequestLimit,
            _ key: Key,
            at now: UInt64,
            _ body: (inout UInt64) -> Result
        ) -> Result {
            guard !key.isShared, hasRoom(for: key, at: now) else {
                return body(&shared[limit.ordinal])
            }
            return body(&emptyAt[key, default: now])
        }

        /// Whether the key has a bucket of its own, or may have one.
        mutating func hasRoom(for key: Key, at now: UInt64) -> Bool {
            guard emptyAt.count >= RequestLimits.keysMax, emptyAt[key] == nil else { return true }
            // Sweeping costs milliseconds, under the lock: once a second, whatever it frees.
            if now >= nextSweep {
                emptyAt = emptyAt.filter { $0.value > now }
                nextSweep = now + Self.sweepIntervalNanoseconds
            }
            return emptyAt.count < RequestLimits.keysMax
        }

        /// That of the shared bucket where the key would be counted in it.
        func emptyAt(_ limit: RequestLimit, _ key: Key) -> UInt64? {
            if !key.isShared {
                if let own = emptyAt[key] { return own }
                guard emptyAt.count >= RequestLimits.keysMax else { return nil }
            }
            return shared[limit.ordinal]
        }
    }
}
