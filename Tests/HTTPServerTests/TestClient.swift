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

    /// Sends `text` again and again until nobody takes any for half a second; how many bytes went.
    func flood(_ text: String, bytesMax: Int) async -> Int {
        let bytes = Array(text.utf8)
        var sent = 0
        var moved = MonotonicInstant.now()
        while sent < bytesMax, MonotonicInstant.now().since(moved) < .milliseconds(500) {
            switch Sockets.write(descriptor, bytes, from: sent % bytes.count) {
            case .moved(let count):
                sent += count
                moved = .now()
            case .wouldBlock: try? await Task.sleep(for: .milliseconds(2))
            case .ended, .failed: return sent
            }
        }
        return sent
    }

    /// Whether something has come that nobody has read.
    var hasArrived: Bool {
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return unsafe poll(&entry, 1, 0) == 1
    }

    func finishWriting() { Sockets.finishWriting(descriptor) }

    /// What arrives until `ending` is in it, the server closes, or time is up.
    func receive(
        until ending: String? = nil,
        seconds: Double = 30
    ) async -> (text: String, ended: Bool) {
        var bytes: [UInt8] = []
        let deadline = MonotonicInstant.now().advanced(by: .seconds(seconds))
        while MonotonicInstant.now() < deadline {
            switch Sockets.read(descriptor, appendingTo: &bytes, atMost: 65_536) {
            case .moved:
                guard let ending else { continue }  // Else 20 MB would be read 300 times.
                let text = String(decoding: bytes, as: UTF8.self)
                if text.contains(ending) { return (text, false) }
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
