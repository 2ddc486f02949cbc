internal import CLinux
import Glibc

extension Sockets {
    /// Reads at most `buffer.count` bytes into it.
    package static func read(
        _ descriptor: Int32,
        into buffer: UnsafeMutableRawBufferPointer
    ) -> Transfer {
        let count = unsafe recv(descriptor, buffer.baseAddress, buffer.count, 0)
        return outcome(count, "recv")
    }

    /// Whether there are bytes to read; they stay there.
    package static func hasInput(_ descriptor: Int32) -> Bool {
        var byte: UInt8 = 0
        return unsafe recv(descriptor, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT)) > 0
    }

    /// Reads at most `bytesMax` bytes and puts them behind what `bytes` holds.
    package static func read(
        _ descriptor: Int32,
        appendingTo bytes: inout [UInt8],
        atMost bytesMax: Int
    ) -> Transfer {
        var transfer = Transfer.wouldBlock
        let received = unsafe [UInt8](unsafeUninitializedCapacity: bytesMax) { buffer, count in
            transfer = unsafe read(descriptor, into: UnsafeMutableRawBufferPointer(buffer))
            if case .moved(let moved) = transfer { count = moved }
        }
        bytes.append(contentsOf: received)
        return transfer
    }

    /// Writes from `bytes`, from `start` on; a broken connection gives an error, never a signal.
    package static func write(
        _ descriptor: Int32,
        _ bytes: [UInt8],
        from start: Int = 0
    ) -> Transfer {
        let count = unsafe bytes.withUnsafeBytes { raw in
            let rest = unsafe UnsafeRawBufferPointer(rebasing: raw[start...])
            return unsafe send(descriptor, rest.baseAddress, rest.count, Int32(MSG_NOSIGNAL))
        }
        return outcome(count, "send")
    }

    /// Writes `head` then `body` with one call, leaving out the first `start` bytes of the two.
    package static func write(
        _ descriptor: Int32,
        _ head: [UInt8],
        _ body: [UInt8],
        from start: Int = 0
    ) -> Transfer {
        if body.isEmpty { return write(descriptor, head, from: start) }
        if start >= head.count { return write(descriptor, body, from: start - head.count) }
        let count = unsafe head.withUnsafeBytes { head in
            unsafe body.withUnsafeBytes { body in
                let rest = unsafe UnsafeRawBufferPointer(rebasing: head[start...])
                return unsafe sendTwo(descriptor, rest, body)
            }
        }
        return outcome(count, "sendmsg")
    }

    private static func sendTwo(
        _ descriptor: Int32,
        _ first: UnsafeRawBufferPointer,
        _ second: UnsafeRawBufferPointer
    ) -> Int {
        var parts = unsafe (
            iovec(
                iov_base: UnsafeMutableRawPointer(mutating: first.baseAddress),
                iov_len: first.count
            ),
            iovec(
                iov_base: UnsafeMutableRawPointer(mutating: second.baseAddress),
                iov_len: second.count
            )
        )
        return unsafe withUnsafeMutablePointer(to: &parts) { pointer in
            unsafe pointer.withMemoryRebound(to: iovec.self, capacity: 2) { vectors in
                var message = unsafe msghdr()
                unsafe message.msg_iov = unsafe vectors
                unsafe message.msg_iovlen = 2
                return unsafe sendmsg(descriptor, &message, Int32(MSG_NOSIGNAL))
            }
        }
    }

    private static func outcome(_ count: Int, _ call: String) -> Transfer {
        if count > 0 { return .moved(count) }
        if count == 0 { return .ended }
        let number = errno
        if number == EAGAIN || number == EINTR { return .wouldBlock }
        return .failed(SystemError(call: call, number: number))
    }
}
