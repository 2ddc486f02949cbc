internal import CLinux
import Glibc

/// A system call that failed: which one, and its `errno`.
package struct SystemError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The failed call, such as `bind`.
    package let call: String
    /// The `errno` it left.
    package let number: Int32

    /// Names a failure that is already known.
    package init(call: String, number: Int32) {
        self.call = call
        self.number = number
    }

    /// Whether the process lacks a right, as to a port below 1024.
    package var isDenied: Bool { number == EACCES }

    /// Whether somebody else has the address already.
    package var isInUse: Bool { number == EADDRINUSE }

    /// Whether the same call may go well later: the machine or the process is short of memory,
    /// processes or descriptors, somebody is writing the program that was to be run, or a disk,
    /// which may be another machine's, did not answer.
    package var isPassing: Bool {
        [EAGAIN, ENOMEM, EMFILE, ENFILE, ETXTBSY, EIO, ESTALE, ETIMEDOUT].contains(number)
    }

    /// Takes the calling thread's `errno`; ask before anything else can change it.
    package static func last(_ call: String) -> Self { Self(call: call, number: errno) }

    /// The call and the system's text, such as `bind: Address already in use`.
    package var description: String {
        var text = [CChar](repeating: 0, count: 128)
        let failed = unsafe strerror_r(number, &text, text.count) != 0
        return failed ? "\(call): errno \(number)" : "\(call): \(String(upToNUL: text))"
    }
}
