import Glibc

/// Forty consecutive ports of this machine's loopback that nobody else uses.
///
/// Programs and tests that run beside each other take a block each. All blocks have one size and
/// begin at its multiples, and the last port of a block is held open as the sign that it is taken:
/// so two that choose at the same time never share a port, not even one that neither uses yet.
/// They lie outside the range from which the kernel takes a port for any outgoing connection.
package final class PortBlock: Sendable {
    /// How many ports a block has, the guard included.
    package static let count: UInt16 = 40

    /// The first of the ports.
    package let first: UInt16
    private let guardian: Int32

    /// The ports to use: all but the last.
    package var usable: Range<UInt16> { first..<(first + Self.count - 1) }

    private init(first: UInt16, guardian: Int32) {
        self.first = first
        self.guardian = guardian
    }

    deinit { Sockets.close(guardian) }

    /// Takes a block that is free now, a random one so that neighbours seldom try the same.
    ///
    /// - Throws: `bind` with `EADDRINUSE` when there is none.
    package static func anyFree() throws(SystemError) -> PortBlock {
        for first in firsts(outside: kernelRange).shuffled() {
            if let block = take(first) { return block }
        }
        throw SystemError(call: "bind", number: EADDRINUSE)
    }

    /// Takes the block that begins here, wherever that is; nil when one of its ports is in use.
    package static func take(_ first: UInt16) -> PortBlock? {
        guard 1...(.max - count) ~= first,
            let guardian = try? Sockets.listen(at: .loopback(port: first + count - 1))
        else { return nil }
        let block = PortBlock(first: first, guardian: guardian)
        return block.usable.allSatisfy(isFree) ? block : nil
    }

    /// Whether nobody listens at this port of 127.0.0.1 or, where the machine has it, of ::1.
    package static func isFree(_ port: UInt16) -> Bool {
        places(port).allSatisfy { problem(at: $0) == nil }
    }

    /// This port of 127.0.0.1 and, where the machine has it, of ::1: a client that asks for
    /// `localhost` may take either.
    package static func places(_ port: UInt16) -> [SocketAddress] {
        let places = [SocketAddress("[::1]:\(port)")].compactMap(\.self).filter { place in
            let problem = problem(at: place)
            return problem == nil || problem == EADDRINUSE
        }
        return [.loopback(port: port)] + places
    }

    /// Why nobody can listen there now.
    private static func problem(at place: SocketAddress) -> Int32? {
        do throws(SystemError) {
            Sockets.close(try Sockets.listen(at: place))
            return nil
        } catch { return error.number }
    }

    /// Where blocks may begin: below the kernel's range, else above it, else within.
    package static func firsts(outside kernel: ClosedRange<UInt16>) -> [UInt16] {
        let below = firsts(from: lowest, below: kernel.lowerBound)
        guard below.isEmpty else { return below }
        let above = firsts(from: max(kernel.upperBound, lowest), below: .max)
        return above.isEmpty ? firsts(from: lowest, below: .max) : above
    }

    /// Below are the ports that people name: 8080, 9092.
    private static let lowest: UInt16 = 10_239

    private static func firsts(from last: UInt16, below end: UInt16) -> [UInt16] {
        let starts = stride(from: 0, through: Int(end) - Int(count), by: Int(count))
        return starts.filter { $0 > last }.map { UInt16($0) }
    }

    /// The ports that the kernel hands out by itself.
    private static var kernelRange: ClosedRange<UInt16> {
        let path = "/proc/sys/net/ipv4/ip_local_port_range"
        let bytes = (try? FileReading.bytes(at: path, bytesMax: 64)) ?? []
        return range(String(decoding: bytes, as: UTF8.self)) ?? 32_768...60_999
    }

    /// Reads two numbers with space between them.
    private static func range(_ text: String) -> ClosedRange<UInt16>? {
        let numbers = text.split { $0.isWhitespace }.map { UInt16($0) }
        guard numbers.count == 2, let low = numbers[0], let high = numbers[1], low <= high else {
            return nil
        }
        return low...high
    }
}
