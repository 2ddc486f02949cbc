import Foundation
import Runtime

/// A client socket that says exactly what it is told.
///
/// It waits by sleeping: a blocked thread of the pool would hold up the tests beside it.
final class TestClient: Sendable {
    let descriptor: Int32

    init(_ address: SocketAddress) throws {
        descriptor = try Sockets.connect(to: address)
        wait(for: Int16(POLLOUT), milliseconds: 2_000)
    }

    deinit { Sockets.close(descriptor) }

    func send(_ text: String) { send(Array(text.utf8)) }

    func send(_ bytes: [UInt8]) {
        var start = 0
        while start < bytes.count {
            switch Sockets.write(descriptor, bytes, from: start) {
            case .moved(let count): start += count
            case .wouldBlock: wait(for: Int16(POLLOUT), milliseconds: 2_000)
            case .ended, .failed: return
            }
        }
    }

    func finishWriting() { Sockets.finishWriting(descriptor) }

    /// What arrives until `ending` is in it, the server closes, or time is up.
    func receive(
        until ending: String? = nil,
        seconds: Double = 15
    ) async -> (text: String, ended: Bool) {
        var bytes: [UInt8] = []
        let deadline = MonotonicInstant.now().advanced(by: .seconds(seconds))
        while MonotonicInstant.now() < deadline {
            switch Sockets.read(descriptor, appendingTo: &bytes, atMost: 65_536) {
            case .moved:
                let text = String(decoding: bytes, as: UTF8.self)
                if let ending, text.contains(ending) { return (text, false) }
            case .wouldBlock: try? await Task.sleep(for: .milliseconds(2))
            case .ended, .failed: return (String(decoding: bytes, as: UTF8.self), true)
            }
        }
        return (String(decoding: bytes, as: UTF8.self), false)
    }

    private func wait(for events: Int16, milliseconds: Int32) {
        var entry = pollfd(fd: descriptor, events: events, revents: 0)
        _ = unsafe poll(&entry, 1, milliseconds)
    }
}
