internal import CLinux
import Glibc

/// A descriptor that any thread makes readable: how another thread wakes a loop.
///
/// An eventfd(2): eight bytes, a counter, cleared by one read. Closed when the last reference goes.
package final class EventDescriptor: Sendable {
    /// The descriptor, for `Loop.watch` or a C library that writes to it.
    package let number: Int32

    /// Opens the descriptor.
    ///
    /// - Throws: `eventfd`, when the process is out of descriptors.
    package init() throws(SystemError) {
        number = eventfd(0, Int32(EFD_NONBLOCK | EFD_CLOEXEC))
        guard number >= 0 else { throw .last("eventfd") }
    }

    deinit { close(number) }

    /// Makes the descriptor readable; several signals before a `clear` count as one.
    package func signal() { _ = eventfd_write(number, 1) }

    /// Makes it unreadable again.
    ///
    /// Call before draining: the other order loses a wake-up.
    package func clear() {
        var count: eventfd_t = 0
        _ = unsafe eventfd_read(number, &count)
    }
}
