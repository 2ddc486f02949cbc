internal import CLinux
import Glibc

/// Standard output and error of a program that people call: unbuffered, so a line is seen when it
/// is said, also through a pipe.
package enum Terminal {
    /// Writes `text` and a line break to standard output; a closed pipe is nobody's loss.
    package static func say(_ text: String) { write(text + "\n", to: STDOUT_FILENO) }

    /// Writes `text` and a line break to standard error.
    package static func complain(_ text: String) { write(text + "\n", to: STDERR_FILENO) }

    private static func write(_ text: String, to descriptor: Int32) {
        let bytes = Array(text.utf8)
        var start = 0
        while start < bytes.count {
            let count = unsafe bytes.withUnsafeBytes { raw in
                let rest = unsafe UnsafeRawBufferPointer(rebasing: raw[start...])
                return unsafe Glibc.write(descriptor, rest.baseAddress, rest.count)
            }
            if count > 0 {
                start += count
            } else if errno == EAGAIN {
                usleep(1_000)
            } else if errno != EINTR {
                return
            }
        }
    }
}
