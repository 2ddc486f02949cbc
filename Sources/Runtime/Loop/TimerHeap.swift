/// A binary heap of timers, earliest first, equal instants in the order they were made.
///
/// Each timer knows its place, so taking one out is as cheap as putting it in.
struct TimerHeap {
    private var timers: [LoopTimer] = []

    var first: LoopTimer? { timers.first }
    var count: Int { timers.count }

    mutating func insert(_ timer: LoopTimer) {
        timer.position = timers.count
        timers.append(timer)
        rise(from: timer.position)
    }

    mutating func remove(_ timer: LoopTimer) {
        let hole = timer.position
        guard timers.indices.contains(hole), timers[hole] === timer else { return }
        timer.position = -1
        let last = timers.removeLast()
        guard last !== timer else { return }
        place(last, at: hole)
        rise(from: hole)
        sink(from: last.position)
    }

    private mutating func rise(from start: Int) {
        var child = start
        while child > 0 {
            let parent = (child - 1) / 2
            guard isBefore(timers[child], timers[parent]) else { return }
            exchange(child, parent)
            child = parent
        }
    }

    private mutating func sink(from start: Int) {
        var parent = start
        while true {
            var least = parent
            for child in [2 * parent + 1, 2 * parent + 2]
            where child < timers.count && isBefore(timers[child], timers[least]) {
                least = child
            }
            guard least != parent else { return }
            exchange(parent, least)
            parent = least
        }
    }

    private func isBefore(_ left: LoopTimer, _ right: LoopTimer) -> Bool {
        left.instant == right.instant
            ? left.sequence < right.sequence : left.instant < right.instant
    }

    private mutating func exchange(_ left: Int, _ right: Int) {
        let moved = timers[left]
        place(timers[right], at: left)
        place(moved, at: right)
    }

    private mutating func place(_ timer: LoopTimer, at index: Int) {
        timers[index] = timer
        timer.position = index
    }
}
