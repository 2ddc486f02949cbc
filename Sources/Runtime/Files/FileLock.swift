internal import CLinux
import Glibc

/// A file that one process at a time holds; the kernel lets go of it when that process ends.
package final class FileLock: Sendable {
    private let descriptor: Int32

    /// Takes the lock and leaves `note` in the file for whoever comes in vain.
    ///
    /// Does not wait. The file stays when the lock is gone, and is for its owner alone (0600).
    /// - Returns: nil when another process, or this one already, holds it.
    /// - Throws: the call that failed.
    package init?(_ path: String, note: String) throws(SystemError) {
        guard !path.utf8.contains(0) else { throw SystemError(call: "open", number: EINVAL) }
        descriptor = unsafe clinux_open_append(path, 0o600)
        guard descriptor >= 0 else { throw .last("open") }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            guard errno == EWOULDBLOCK else { throw .last("flock") }
            return nil
        }
        guard ftruncate(descriptor, 0) == 0 else { throw .last("ftruncate") }
        let bytes = Array(note.utf8)
        let count = unsafe bytes.withUnsafeBytes { raw in
            unsafe write(descriptor, raw.baseAddress, raw.count)
        }
        guard count == bytes.count else { throw .last("write") }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }
}
