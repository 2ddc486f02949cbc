internal import Domain
internal import Runtime

/// Folded states by stream, shared by all loops; bounded by bytes, the least used go first.
///
/// An entry is true as long as the server is the same: it is what the stream was at its version.
/// Whether the stream has moved since, only the log knows; a stale entry is a shorter way to the
/// present.
final class StateCache: Sendable {
    /// What is kept of a stream.
    struct Entry: Sendable {
        let project: ProjectNumber
        let version: Int32
        /// Which of the servers it was read from.
        let server: Int
        let hash: EventHash
        let occurredAt: Instant
        /// The aggregate's `State`.
        let state: any Sendable
        /// Estimated size in bytes.
        let cost: Int
        /// Somebody has seen the stream at a higher version.
        var isStale = false
        /// How often somebody had when it was found here; 0 of what was not.
        var marks: UInt32 = 0
        /// The newest snapshot this process knows of; 0: none.
        var snapshotVersion: Int32 = 0
    }

    /// What an entry weighs when its stream's payloads are forgotten.
    private static let entryBytes = 512
    /// States keep at most this much of what their events said, about.
    private static let stateBytesMax = 32 * 1024

    /// A state grows with the payloads folded into it, up to what states keep.
    static func cost(before: Int?, payloadBytes: Int) -> Int {
        min((before ?? entryBytes) + payloadBytes, entryBytes + stateBytesMax)
    }

    private static let stripeCount = 64
    private let stripes: [Guarded<Stripe>]
    private let servers = Guarded(0)

    init(bytesMax: Int) {
        stripes = (0..<Self.stripeCount).map { _ in
            Guarded(Stripe(bytesMax: max(1, bytesMax / Self.stripeCount)))
        }
    }

    var bytes: Int { stripes.reduce(0) { $0 + $1.withLock { $0.bytes } } }

    func find(_ stream: StreamID) -> Entry? {
        stripe(of: stream).withLock { $0.find(stream) }
    }

    /// Its cost and its snapshot; no use of it, as `find` is.
    func accounts(of stream: StreamID) -> (cost: Int, snapshotVersion: Int32)? {
        stripe(of: stream).withLock { $0.accounts(of: stream) }
    }

    /// Which of the servers it has come to the log is read from; what an earlier one said, or was
    /// asked, says nothing of this one.
    var server: Int { servers.current }

    /// Keeps `entry`, unless it is another server's or a newer one is there.
    ///
    /// It is no answer to who has seen the stream further on since the entry was found that it was
    /// read after.
    func keep(_ entry: Entry, of stream: StreamID) {
        stripe(of: stream).withLock { stripe in
            guard entry.server == server else { return }
            stripe.keep(entry, of: stream)
        }
    }

    /// Somebody has seen the stream at `version`; without one, beyond any.
    func markStale(_ stream: StreamID, below version: Int32 = .max) {
        stripe(of: stream).withLock { $0.markStale(stream, below: version) }
    }

    func remove(_ stream: StreamID) {
        stripe(of: stream).withLock { $0.remove(stream) }
    }

    /// The log is another server's, which may lack what was read.
    func beginServer() {
        // First the number: what is kept after its stripe was emptied is of the new one.
        servers.withLock { $0 += 1 }
        for stripe in stripes { stripe.withLock { $0.removeAll() } }
    }

    private func stripe(of stream: StreamID) -> Guarded<Stripe> {
        // The low half is random in every class.
        stripes[Int(truncatingIfNeeded: stream.low) & (Self.stripeCount - 1)]
    }
}

/// One of the parts with a lock of its own; evicts by the clock algorithm.
private struct Stripe {
    /// An entry without its state: plain numbers, so that looking at one copies nothing that is
    /// counted.
    private struct Slot {
        let stream: StreamID
        let project: ProjectNumber
        let version: Int32
        let server: Int
        let hash: EventHash
        let occurredAt: Instant
        let cost: Int
        var isStale: Bool
        var marks: UInt32
        /// The greatest version that marks named since it was known to be answered; 0: none did.
        var hinted: Int32 = 0
        let snapshotVersion: Int32
        /// Used since the hand last passed.
        var isUsed = true

        init(_ entry: StateCache.Entry, of stream: StreamID) {
            self.stream = stream
            project = entry.project
            version = entry.version
            server = entry.server
            hash = entry.hash
            occurredAt = entry.occurredAt
            cost = entry.cost
            isStale = entry.isStale
            marks = entry.marks
            snapshotVersion = entry.snapshotVersion
        }

        func entry(_ state: any Sendable) -> StateCache.Entry {
            StateCache.Entry(
                project: project,
                version: version,
                server: server,
                hash: hash,
                occurredAt: occurredAt,
                state: state,
                cost: cost,
                isStale: isStale,
                marks: marks,
                snapshotVersion: snapshotVersion
            )
        }
    }

    private let bytesMax: Int
    private var places: [StreamID: Int] = [:]
    private var slots: [Slot] = []
    /// The states of the slots, in their places.
    private var states: [any Sendable] = []
    private var hand = 0
    private(set) var bytes = 0

    init(bytesMax: Int) { self.bytesMax = bytesMax }

    mutating func find(_ stream: StreamID) -> StateCache.Entry? {
        guard let place = places[stream] else { return nil }
        slots[place].isUsed = true
        return slots[place].entry(states[place])
    }

    func accounts(of stream: StreamID) -> (cost: Int, snapshotVersion: Int32)? {
        guard let place = places[stream] else { return nil }
        return (slots[place].cost, slots[place].snapshotVersion)
    }

    mutating func keep(_ entry: StateCache.Entry, of stream: StreamID) {
        if let place = places[stream] {
            guard slots[place].version <= entry.version else { return }
            let (marks, hinted) = (slots[place].marks, slots[place].hinted)
            // The greatest may be of before: then the next read answers it.
            let isStillStale =
                slots[place].isStale && marks != entry.marks && hinted > entry.version
            bytes -= slots[place].cost
            slots[place] = Slot(entry, of: stream)
            slots[place].marks = marks
            if isStillStale {
                slots[place].isStale = true
                slots[place].hinted = hinted
            }
            states[place] = entry.state
        } else {
            places[stream] = slots.count
            slots.append(Slot(entry, of: stream))
            states.append(entry.state)
        }
        bytes += entry.cost
        while bytes > bytesMax, !slots.isEmpty { evictOne() }
    }

    mutating func markStale(_ stream: StreamID, below version: Int32) {
        guard let place = places[stream], slots[place].version < version else { return }
        slots[place].isStale = true
        slots[place].marks &+= 1
        slots[place].hinted = max(slots[place].hinted, version)
    }

    mutating func remove(_ stream: StreamID) {
        guard let place = places[stream] else { return }
        take(out: place)
    }

    mutating func removeAll() { self = Stripe(bytesMax: bytesMax) }

    private mutating func evictOne() {
        while true {
            if hand >= slots.count { hand = 0 }
            guard slots[hand].isUsed else { return take(out: hand) }
            slots[hand].isUsed = false
            hand += 1
        }
    }

    /// The last slot moves into the hole.
    private mutating func take(out place: Int) {
        let gone = slots[place]
        places[gone.stream] = nil
        bytes -= gone.cost
        let (last, state) = (slots.removeLast(), states.removeLast())
        guard place < slots.count else { return }
        slots[place] = last
        states[place] = state
        places[last.stream] = place
    }
}
