internal import Crypto
internal import Issuing
internal import Runtime

/// Unpredictable bytes of the cryptographic library.
package struct SystemEntropy: Entropy {
    private let reserve = Guarded(Reserve())

    /// There is one source.
    package init() {}

    /// Secrets are drawn when they are asked for; what names requests, commands and tokens, at
    /// most 16 bytes and no secret, comes from a page drawn ahead: a draw costs as much as 600 ns.
    package func bytes(_ count: Int) -> [UInt8] {
        guard 1...Reserve.countMax ~= count else { return SecureRandom.bytes(count) }
        return reserve.withLock { $0.take(count) }
    }
}

/// Bytes drawn ahead, each handed out once.
private struct Reserve: Sendable {
    static let countMax = 16
    private static let page = 4_096

    private var bytes: [UInt8] = []
    private var used = 0

    mutating func take(_ count: Int) -> [UInt8] {
        if bytes.count - used < count {
            bytes = SecureRandom.bytes(Self.page)
            used = 0
        }
        defer { used += count }
        return Array(bytes[used..<(used + count)])
    }
}
