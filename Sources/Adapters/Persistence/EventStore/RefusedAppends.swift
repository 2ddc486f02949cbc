/// Commands of calls that PostgreSQL refused as a whole: nothing of them is in, and they are tried
/// again in smaller calls.
///
/// Halves of a call come behind those of calls before it, so that the many whom no lock keeps are
/// through before the one is found that waits for one. That one then takes turns with what has come
/// meanwhile, and keeps nobody waiting for longer than a call waits for a lock (decision 0222).
struct RefusedAppends {
    private var halves: [[PendingAppend]] = []
    private var blocked: [PendingAppend] = []
    private var wasTurnOfBlocked = false

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
    mutating func wait(_ append: PendingAppend) { blocked.append(append) }

    /// The next call, with what has come meanwhile from `others`; nil: there is nothing to do.
    ///
    /// Who has heard their outcome is in none: what was said to be out must not get in.
    mutating func next(or others: () -> AppendBatch?) -> AppendBatch? {
        while !halves.isEmpty {
            let left = halves.removeFirst().filter { !$0.isFinished }
            if !left.isEmpty { return AppendBatch(left) }
        }
        wasTurnOfBlocked.toggle()
        if wasTurnOfBlocked, let batch = nextBlocked() { return batch }
        return others() ?? nextBlocked()
    }

    private mutating func nextBlocked() -> AppendBatch? {
        while !blocked.isEmpty {
            let append = blocked.removeFirst()
            if !append.isFinished { return AppendBatch([append]) }
        }
        return nil
    }
}
