internal import CLinux
import Glibc

/// Tells systemd about us (sd_notify(3)); without it nothing happens.
package enum ServiceManager {
    /// Sends a state such as `READY=1` or `WATCHDOG=1` to the socket in `NOTIFY_SOCKET`; false when
    /// it could not be sent just now.
    ///
    /// It never waits.
    @discardableResult
    package static func notify(
        _ state: String,
        at path: String? = Environment.value("NOTIFY_SOCKET")
    ) -> Bool {
        guard let path, let address = SocketAddress.serviceManager(path) else { return true }
        let kind = Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        let descriptor = socket(AF_UNIX, kind, 0)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        let bytes = Array(state.utf8)
        let flags = Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT)
        let count = unsafe address.withSystemForm { name, length in
            unsafe sendto(descriptor, bytes, bytes.count, flags, name, length)
        }
        return count >= 0 || errno != EAGAIN
    }

    /// How often systemd wants `WATCHDOG=1`, half of its limit; nil when it does not watch.
    package static var watchdogInterval: Duration? {
        guard let text = Environment.value("WATCHDOG_USEC"), let limit = Int64(text), limit > 0
        else { return nil }
        return .microseconds(limit / 2)
    }
}

extension SocketAddress {
    // An `@` stands for the NUL of an abstract name.
    fileprivate static func serviceManager(_ path: String) -> SocketAddress? {
        var bytes = Array(path.utf8)
        guard 2...107 ~= bytes.count else { return nil }
        if bytes[0] == UInt8(ascii: "@") { bytes[0] = 0 }
        return SocketAddress(.local, bytes, port: 0)
    }
}
