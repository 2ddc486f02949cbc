import Foundation
import Runtime
import Testing

@Suite("The service manager", .timeLimit(.minutes(1))) struct ServiceManagerTests {
    @Test("one that does not listen holds nobody up") func full() async throws {
        let path = NSTemporaryDirectory() + "notify-\(UUID().uuidString.prefix(8))"
        let descriptor = try socket(boundTo: path)
        defer {
            close(descriptor)
            unsafe unlink(path)
        }
        #expect(ServiceManager.notify("READY=1", at: path))
        let isTaken = Guarded(true)
        Thread.detachNewThread {
            while isTaken.current {
                isTaken.replace(with: ServiceManager.notify("WATCHDOG=1", at: path))
            }
        }
        let limit = MonotonicInstant.now().advanced(by: .seconds(20))
        while isTaken.current, MonotonicInstant.now() < limit {
            try await Task.sleep(for: .milliseconds(2))
        }
        #expect(!isTaken.current)
        var buffer = [UInt8](repeating: 0, count: 64)
        let count = unsafe recv(descriptor, &buffer, buffer.count, 0)
        #expect(String(decoding: buffer.prefix(max(0, count)), as: UTF8.self) == "READY=1")
        #expect(ServiceManager.notify("STOPPING=1", at: path))
    }

    @Test("one that is not there, and none at all, are told nothing")
    func nobody() {
        #expect(ServiceManager.notify("READY=1", at: "/nowhere/notify"))
        #expect(ServiceManager.notify("READY=1", at: nil))
    }

    @Test("one with an abstract address hears it, too") func abstract() throws {
        let name = "chancery-\(UUID().uuidString.prefix(8))"
        let descriptor = try socket(boundTo: "\0\(name)", isAbstract: true)
        defer { close(descriptor) }
        #expect(ServiceManager.notify("READY=1", at: "@\(name)"))
        var buffer = [UInt8](repeating: 0, count: 64)
        let flags = Int32(MSG_DONTWAIT)
        let count = unsafe recv(descriptor, &buffer, buffer.count, flags)
        #expect(String(decoding: buffer.prefix(max(0, count)), as: UTF8.self) == "READY=1")
    }

    private func socket(boundTo path: String, isAbstract: Bool = false) throws -> Int32 {
        let descriptor = Glibc.socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: bytes) }
        // All bytes of an abstract name count.
        let length = socklen_t(isAbstract ? 2 + bytes.count : MemoryLayout<sockaddr_un>.size)
        let status = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe bind(descriptor, $0, length)
            }
        }
        try #require(status == 0)
        return descriptor
    }
}
