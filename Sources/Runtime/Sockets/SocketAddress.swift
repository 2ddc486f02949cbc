internal import CLinux
import Glibc

/// Where a socket is: an IPv4 or IPv6 address and port, or a local (Unix) socket.
package struct SocketAddress: Hashable, Sendable {
    /// The kind of network.
    package enum Family: Sendable { case ipv4, ipv6, local }

    /// The kind of network.
    package let family: Family
    /// 4 bytes for IPv4, 16 for IPv6, the path for a local socket, in network order.
    package let bytes: [UInt8]
    /// The port, 0 for a local socket or, when listening, "any free one".
    package let port: UInt16

    init(_ family: Family, _ bytes: [UInt8], port: UInt16) {
        self.family = family
        self.bytes = bytes
        self.port = port
    }

    /// 127.0.0.1 at `port`.
    package static func loopback(port: UInt16) -> Self { Self(.ipv4, [127, 0, 0, 1], port: port) }

    /// A local socket at `path`; nil when it is empty, longer than 107 bytes or has a NUL.
    package static func local(_ path: String) -> Self? {
        let bytes = Array(path.utf8)
        guard 1...107 ~= bytes.count, !bytes.contains(0) else { return nil }
        return Self(.local, bytes, port: 0)
    }

    /// The peer of a local socket, which has no name.
    static let unnamed = Self(.local, [], port: 0)

    /// Reads `127.0.0.1:8080` or `[::1]:8080`; nil for a name, a missing port or anything else.
    package init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard let colon = bytes.lastIndex(of: UInt8(ascii: ":")),
            let port = Self.port(bytes[(colon + 1)...])
        else { return nil }
        var host = bytes[..<colon]
        let isIPv6 = host.first == UInt8(ascii: "[") && host.last == UInt8(ascii: "]")
        if isIPv6 { host = host.dropFirst().dropLast() }
        guard let parsed = Self.address(host: Array(host), isIPv6: isIPv6) else { return nil }
        self.init(isIPv6 ? .ipv6 : .ipv4, parsed, port: port)
    }

    /// Whether the peer is on this machine: a local socket, 127.0.0.0/8, ::1.
    package var isLoopback: Bool {
        switch family {
        case .local: true
        case .ipv4: bytes.first == 127
        case .ipv6: bytes.dropLast().allSatisfy { $0 == 0 } && bytes.last == 1
        }
    }

    /// Whether both cannot be listened at, as they are one, or one is all addresses of its family.
    package func overlaps(_ other: Self) -> Bool {
        guard family == other.family, port == other.port else { return false }
        if bytes == other.bytes { return family == .local || port != 0 }
        let isOneOpen = [self, other].contains { $0.bytes.allSatisfy { $0 == 0 } }
        return family != .local && port != 0 && isOneOpen
    }

    /// The same place in one form: an IPv4 address written as IPv6 becomes IPv4.
    package var unmapped: Self {
        let prefix: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]
        guard family == .ipv6, bytes.starts(with: prefix) else { return self }
        return Self(.ipv4, Array(bytes.dropFirst(12)), port: port)
    }

    /// The same address, for which the port says nothing.
    package var withoutPort: Self { Self(family, bytes, port: 0) }

    /// What a log may say of it and a record keep: /24 or /48, never a full address.
    package var network: String {
        switch family {
        case .local: "local"
        case .ipv4: bytes.prefix(3).map { "\($0)" }.joined(separator: ".") + ".0/24"
        case .ipv6:
            stride(from: 0, to: 6, by: 2)
                .map { String(UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1]), radix: 16) }
                .joined(separator: ":") + "::/48"
        }
    }

    private static func port(_ digits: ArraySlice<UInt8>) -> UInt16? {
        guard 1...5 ~= digits.count, digits.allSatisfy({ 0x30...0x39 ~= $0 }) else { return nil }
        return UInt16(exactly: digits.reduce(0) { $0 * 10 + Int($1 - 0x30) })
    }

    private static func address(host: [UInt8], isIPv6: Bool) -> [UInt8]? {
        guard 2...45 ~= host.count, !host.contains(0) else { return nil }
        let text = host.map { CChar(bitPattern: $0) } + [0]
        var bytes = [UInt8](repeating: 0, count: isIPv6 ? 16 : 4)
        let parsed = unsafe inet_pton(isIPv6 ? AF_INET6 : AF_INET, text, &bytes)
        return parsed == 1 ? bytes : nil
    }
}

extension SocketAddress: CustomStringConvertible {
    /// The form `init(_:)` reads, or the local path.
    package var description: String {
        guard family != .local else { return String(decoding: bytes, as: UTF8.self) }
        var text = [CChar](repeating: 0, count: 64)
        let kind = family == .ipv6 ? AF_INET6 : AF_INET
        guard unsafe inet_ntop(kind, bytes, &text, socklen_t(text.count)) != nil else { return "?" }
        let name = String(upToNUL: text)
        return family == .ipv6 ? "[\(name)]:\(port)" : "\(name):\(port)"
    }
}
