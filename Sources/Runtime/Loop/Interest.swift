internal import CLinux

/// What a watch wants to hear about a descriptor.
///
/// Errors and a full hang-up are always told.
package struct Interest: OptionSet, Sendable {
    /// One bit per kind.
    package let rawValue: UInt8

    /// Takes bits as they are.
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Bytes, a connection or an end of file can be read.
    package static let readable = Self(rawValue: 1)
    /// Bytes can be written, or a connection attempt has ended.
    package static let writable = Self(rawValue: 2)
    /// The other side closed its half (EPOLLRDHUP).
    package static let hangup = Self(rawValue: 4)

    var events: UInt32 {
        (contains(.readable) ? EPOLLIN.rawValue : 0)
            | (contains(.writable) ? EPOLLOUT.rawValue : 0)
            | (contains(.hangup) ? EPOLLRDHUP.rawValue : 0)
    }
}
