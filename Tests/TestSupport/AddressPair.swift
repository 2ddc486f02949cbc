import Testing

/// Two addresses and whether limits count them as one: a whole address in IPv4, a /64 in IPv6
/// (Security 7.2 and 9).
package struct AddressPair: Sendable, CustomTestStringConvertible {
    package let one: String
    package let other: String
    package let isOne: Bool

    package var testDescription: String { "\(one) and \(other)" }

    private init(_ one: String, _ other: String, isOne: Bool) {
        self.one = one
        self.other = other
        self.isOne = isOne
    }

    /// As a socket has them: an IPv6 one of ours takes no IPv4.
    package static let ofSockets = [
        Self("192.0.2.1:1", "192.0.2.1:2", isOne: true),
        Self("192.0.2.1:1", "192.0.2.2:1", isOne: false),
        Self("[2001:db8:0:1::1]:1", "[2001:db8:0:1:ffff:ffff:ffff:ffff]:2", isOne: true),
        Self("[2001:db8:0:1::1]:1", "[2001:db8:0:2::1]:1", isOne: false),
        Self("[2001:db8:0:1::1]:1", "[2001:db8:1:1::1]:1", isOne: false),
    ]

    /// As a proxy may also write them.
    package static let ofProxies = [
        Self("[::ffff:192.0.2.1]:1", "192.0.2.1:1", isOne: true),
        Self("[::ffff:192.0.2.1]:1", "[::ffff:192.0.2.2]:1", isOne: false),
    ]
}
