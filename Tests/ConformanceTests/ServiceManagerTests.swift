import Foundation
import Glibc
import TestSupport
import Testing

/// What a process tells systemd (sd_notify(3)): the units in deploy/systemd wait for it.
@Suite("The service manager", .timeLimit(.minutes(2))) struct ServiceManagerTests {
    @Test(
        "hears that a process is ready, again and again that it lives, and that it ends",
        arguments: ["token-issuer", "revocation-projector"]
    )
    func hears(_ program: String) async throws {
        let stack = try RunningStack.running()
        let manager = try NotifySocket()
        defer { manager.close() }
        let process = try await IssuerProcess(
            program,
            beside: stack,
            named: "watched",
            [
                "NOTIFY_SOCKET": manager.path, "WATCHDOG_USEC": "200000",
                "CHANCERY__NODE__SHUTDOWN_NOTICE_SECONDS": "0",
            ]
        )
        var heard: [String] = []
        try await Waiting.until("three signs of life") {
            heard += manager.received()
            return heard.count { $0 == "WATCHDOG=1" } >= 3
        }
        #expect(heard.first == "READY=1")
        process.signal(SIGTERM)
        #expect(process.end() == 0)
        heard += manager.received()
        #expect(heard.contains("STOPPING=1"))
        #expect(Set(heard) == ["READY=1", "WATCHDOG=1", "STOPPING=1"])
    }
}

/// The socket that systemd would listen on.
private struct NotifySocket {
    let path: String
    private let descriptor: Int32

    init() throws {
        path = "/tmp/chancery-notify-\(UUID().uuidString.prefix(8).lowercased())"
        descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: bytes) }
        let length = socklen_t(MemoryLayout<sockaddr_un>.size)
        let status = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe bind(descriptor, $0, length)
            }
        }
        guard status == 0 else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
    }

    /// What came since the last time.
    func received() -> [String] {
        var words: [String] = []
        var buffer = [UInt8](repeating: 0, count: 256)
        while true {
            let count = unsafe recv(descriptor, &buffer, buffer.count, 0)
            guard count > 0 else { return words }
            words.append(String(decoding: buffer[..<count], as: UTF8.self))
        }
    }

    func close() {
        Glibc.close(descriptor)
        try? FileManager.default.removeItem(atPath: path)
    }
}
