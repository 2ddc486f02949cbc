internal import CLinux

/// What happened to a watched descriptor.
package struct Readiness: OptionSet, Sendable {
    /// One bit per kind.
    package let rawValue: UInt8

    /// Takes bits as they are.
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Reading will not block; it may give an end of file or an error.
    package static let readable = Self(rawValue: 1)
    /// Writing will not block; it may give an error.
    package static let writable = Self(rawValue: 2)
    /// The other side closed its half or the whole, or an error is pending.
    package static let hangup = Self(rawValue: 4)

    // An error or full hang-up also counts as what was asked for: the next read or write names it.
    init(events: UInt32, asked: Interest) {
        var readiness: Self = []
        let broken = events & (EPOLLERR.rawValue | EPOLLHUP.rawValue) != 0
        if events & EPOLLIN.rawValue != 0 || broken && asked.contains(.readable) {
            readiness.insert(.readable)
        }
        if events & EPOLLOUT.rawValue != 0 || broken && asked.contains(.writable) {
            readiness.insert(.writable)
        }
        if broken || events & EPOLLRDHUP.rawValue != 0 { readiness.insert(.hangup) }
        self = readiness
    }
}
