internal import Domain
internal import Issuing
internal import Runtime

/// Commands of calls that PostgreSQL refused as a whole: nothing of them is in, and they are tried
/// again in smaller calls.
///
/// Halves of a call come behind those of calls before it, so that the many whom no lock keeps are
/// through before the one is found that waits for one. They, and then that one, take turns with
/// what has come meanwhile, which so waits for two calls at most (decision 0222).
struct RefusedAppends {
    /// As many wait for locks that were held when they came; more travel with others.
    private static let blockedMax = 64
    private static let heldMax = 64

    private var halves: [[PendingAppend]] = []
    private var blocked: [PendingAppend] = []
    /// Streams of those that waited for a lock, and until when that is remembered.
    private var held: [StreamID: MonotonicInstant] = [:]
    private var isTurnOfOthers = false

    /// Whoever is in it; some may have heard their outcome.
    var appends: [PendingAppend] { halves.flatMap(\.self) + blocked }

    var isEmpty: Bool { halves.isEmpty && blocked.isEmpty }

    /// Takes a call's commands, two or more of them.
    mutating func split(_ appends: [PendingAppend]) {
        let middle = appends.count / 2
        halves += [Array(appends[..<middle]), Array(appends[middle...])]
    }

    /// Takes one that may be in luck at once.
    mutating func retry(_ append: PendingAppend) { halves.append([append]) }

    /// Takes one that is alone, and waits for a lock.
    mutating func wait(_ append: PendingAppend, at now: MonotonicInstant) {
        blocked.append(append)
        held = held.filter { $0.value > now }
        for stream in append.command.streams where held.count < Self.heldMax {
            held[stream] = now.advanced(by: AppendLane.staleAfter)
        }
    }

    /// Takes one that has just come, if it names a stream whose lock was held a moment ago: whoever
    /// is asked to try again would else have a whole call refused again.
    mutating func takes(_ append: PendingAppend, at now: MonotonicInstant) -> Bool {
        guard !held.isEmpty, blocked.count < Self.blockedMax, names(append.command, heldAt: now)
        else { return false }
        blocked.append(append)
        return true
    }

    private func names(_ command: EncodedCommand, heldAt now: MonotonicInstant) -> Bool {
        for stream in command.streams {
            if let end = held[stream], end > now { return true }
        }
        for each in command.guards {
            if let end = held[each.stream], end > now { return true }
        }
        return false
    }

    /// The next call, with what has come meanwhile from `others`; nil: there is nothing to do.
    ///
    /// Who has heard their outcome is in none: what was said to be out must not get in.
    mutating func next(or others: () -> AppendBatch?) -> AppendBatch? {
        if isTurnOfOthers, let batch = others() {
            isTurnOfOthers = false
            return batch
        }
        // Each of these may be refused, and take as long as a call waits for a lock.
        isTurnOfOthers = true
        if let batch = nextRefused() { return batch }
        isTurnOfOthers = false
        return others()
    }

    private mutating func nextRefused() -> AppendBatch? {
        while !halves.isEmpty {
            let left = halves.removeFirst().filter { !$0.isFinished }
            if !left.isEmpty { return AppendBatch(left) }
        }
        while !blocked.isEmpty {
            let append = blocked.removeFirst()
            if !append.isFinished { return AppendBatch([append]) }
        }
        return nil
    }
}
