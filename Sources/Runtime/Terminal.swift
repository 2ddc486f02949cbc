internal import CLinux
import Glibc

/// Standard output and error of a program that people call: unbuffered, so a line is seen when it
/// is said, also through a pipe.
package enum Terminal {
    private static let failure = Guarded<SystemError?>(nil)

    /// Why some of what was said to standard output is lost; nil while nothing is.
    ///
    /// A closed pipe is nobody's loss: who closed it has read enough.
    package static var loss: SystemError? { failure.current }

    /// Makes a write to a closed pipe an error that is passed over, not the end of the program.
    package static func outliveClosedPipes() { signal(SIGPIPE, SIG_IGN) }

    /// Writes `text` and a line break to standard output.
    package static func say(_ text: String) { write(text + "\n", to: STDOUT_FILENO) }

    /// Writes `text` to standard output byte for byte; a line break only where it ends without one.
    package static func show(_ text: String) {
        write(text.utf8.last == UInt8(ascii: "\n") ? text : text + "\n", to: STDOUT_FILENO)
    }

    /// Writes `text` and a line break to standard error.
    package static func complain(_ text: String) { write(text + "\n", to: STDERR_FILENO) }

    private static func write(_ text: String, to descriptor: Int32) {
        var rest = Array(text.utf8)[...]
        do throws(SystemError) { try FileWriting.write(&rest, to: descriptor) } catch {
            let isLoss = descriptor == STDOUT_FILENO && error.number != EPIPE
            if isLoss { failure.replace(with: error) }
        }
    }
}
