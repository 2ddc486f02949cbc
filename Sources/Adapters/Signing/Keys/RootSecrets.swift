internal import Crypto
internal import Runtime

/// The root secret in its versions: everything keyed derives from one of them (security.md 5).
package struct RootSecrets: Sendable {
    /// What new values are keyed with.
    let current: Secret
    /// Still verifies what was keyed before the last rotation.
    let previous: Secret?
    /// What stream names are keyed with: fixed, because names must be found again.
    let lookup: Secret

    /// The length of each in bytes.
    static let count = 32

    /// New ones.
    package static func generate() -> RootSecrets {
        let secret = SecureRandom.secret(count)
        return RootSecrets(current: secret, previous: nil, lookup: secret)
    }

    init(current: Secret, previous: Secret?, lookup: Secret) {
        self.current = current
        self.previous = previous
        self.lookup = lookup
    }

    /// Reads current, lookup and, when there is one, previous; nil for another length.
    init?(_ joined: Secret) {
        guard joined.count == 2 * Self.count || joined.count == 3 * Self.count else { return nil }
        let parts = joined.withBytes { bytes in
            stride(from: 0, to: bytes.count, by: Self.count).map { start in
                Secret(copying: bytes.extracting(start..<start + Self.count))
            }
        }
        self.init(current: parts[0], previous: parts.count == 3 ? parts[2] : nil, lookup: parts[1])
    }

    /// What `init(_:)` reads.
    var joined: Secret {
        // No room is given back before it is wiped: it would keep what it held.
        var bytes: [UInt8] = []
        bytes.reserveCapacity(3 * Self.count)
        for part in [current, lookup, previous] {
            part?.withBytes { span in for index in span.indices { bytes.append(span[index]) } }
        }
        return Secret(wiping: &bytes)
    }
}
