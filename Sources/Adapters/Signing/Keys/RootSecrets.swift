internal import Crypto
package import Domain
internal import OAuth
internal import Runtime

/// The root secret in its versions: everything keyed derives from one of them (security.md 5).
///
/// It is replaced as a signing key is (decision 0205): a next one is staged, which verifies on
/// every node before any node makes values with it; then it is promoted, and the former one
/// verifies until it is retired.
package struct RootSecrets: Sendable {
    /// What new values are keyed with.
    let current: Secret
    /// What stream names are keyed with: fixed, because names must be found again.
    let lookup: Secret
    /// Verifies, too, while the root secret is replaced.
    let other: Other?

    /// A second root secret, and since when it stands beside the current one.
    struct Other: Sendable {
        let secret: Secret
        let standing: Standing
        let since: Instant
    }

    /// What a second root secret is to the current one; the numbers stand in the file.
    package enum Standing: UInt8, Hashable, Sendable, CaseIterable {
        /// Staged: becomes the current one.
        case next = 1
        /// Was the current one.
        case former = 2
    }

    /// How long a next one waits before it may be promoted: nodes look at the file every few
    /// seconds, and a copy of the directory has to arrive.
    package static let stagedMin = Duration.seconds(600)
    /// How long a former one verifies at least: longer than any value with an expiry lives.
    package static let formerMin = Duration.seconds(86_400)

    /// The length of each in bytes.
    static let count = 32
    private static let instantCount = 8

    /// New ones.
    package static func generate() -> RootSecrets {
        let secret = SecureRandom.secret(count)
        return RootSecrets(current: secret, lookup: secret, other: nil)
    }

    init(current: Secret, lookup: Secret, other: Other?) {
        self.current = current
        self.lookup = lookup
        self.other = other
    }
}

// MARK: Replacement

extension RootSecrets {
    /// Why a step of a replacement is not taken.
    package enum Refusal: Error, Hashable, Sendable {
        /// A second one stands beside the current one already.
        case underWay(Standing)
        /// There is no second one of this standing.
        case absent(Standing)
        /// It may be taken from then on.
        case early(Standing, until: Instant)
    }

    /// With a next one beside the current one.
    package func staging(at now: Instant) throws(Refusal) -> RootSecrets {
        if let other { throw .underWay(other.standing) }
        let next = SecureRandom.secret(Self.count)
        return beside(Other(secret: next, standing: .next, since: now))
    }

    /// The next one as the current one, and the current one as the former.
    package func promoting(at now: Instant) throws(Refusal) -> RootSecrets {
        guard let other, other.standing == .next else { throw .absent(.next) }
        try other.requireAge(Self.stagedMin, at: now)
        return RootSecrets(
            current: other.secret,
            lookup: lookup,
            other: Other(secret: current, standing: .former, since: now)
        )
    }

    /// Without the former one, or without a next one that shall not become the current one.
    package func retiring(at now: Instant) throws(Refusal) -> RootSecrets {
        guard let other else { throw .absent(.former) }
        if other.standing == .former { try other.requireAge(Self.formerMin, at: now) }
        return beside(nil)
    }

    /// A new one at once, and nothing that was made with any before is taken again.
    ///
    /// A next one goes, too: it lay in the file that was stolen.
    package func renewed() -> RootSecrets {
        RootSecrets(current: SecureRandom.secret(Self.count), lookup: lookup, other: nil)
    }

    private func beside(_ other: Other?) -> RootSecrets {
        RootSecrets(current: current, lookup: lookup, other: other)
    }
}

extension RootSecrets.Other {
    fileprivate func requireAge(_ age: Duration, at now: Instant) throws(RootSecrets.Refusal) {
        let until = since.adding(seconds: age.components.seconds)
        guard now >= until else { throw .early(standing, until: until) }
    }
}

// MARK: What may be said of them

extension RootSecrets {
    /// What may be said of the second one.
    package struct Second: Hashable, Sendable {
        package let id: String
        package let standing: Standing
        package let since: Instant
    }

    /// Tells the current one from another, and nothing else of it: eight hexadecimal digits.
    package var id: String { Self.id(of: current) }

    /// The one beside the current one; nil while there is none.
    package var second: Second? {
        other.map { Second(id: Self.id(of: $0.secret), standing: $0.standing, since: $0.since) }
    }

    /// Whether streams have the same names by both.
    package func isOfLog(of other: RootSecrets) -> Bool {
        lookup.withBytes { left in other.lookup.withBytes { equal(left, $0) } }
    }

    /// Whether they are the same in all.
    package func isSame(as other: RootSecrets) -> Bool {
        joined.withBytes { left in other.joined.withBytes { equal(left, $0) } }
    }

    private static func id(of secret: Secret) -> String {
        let info = Array("chancery-root-secret-id".utf8)
        return Hexadecimal.text(Array(HMACKey(derivedFrom: secret, info: info).tag([]).prefix(4)))
    }
}

extension RootSecrets.Standing {
    /// As people and metrics call it.
    package var name: String {
        switch self {
        case .next: "next"
        case .former: "former"
        }
    }
}

// MARK: The file

extension RootSecrets {
    /// Reads current and lookup and, where there is one, the second with its standing and the
    /// milliseconds since 1970 since which it has that; nil for what `joined` does not write.
    init?(_ joined: Secret) {
        let pair = 2 * Self.count
        let whole = pair + Self.count + 1 + Self.instantCount
        guard joined.count == pair || joined.count == whole else { return nil }
        let (current, lookup) = (joined.part(0..<Self.count), joined.part(Self.count..<pair))
        guard joined.count == whole else {
            self.init(current: current, lookup: lookup, other: nil)
            return
        }
        let (code, milliseconds) = joined.withBytes { bytes in
            let start = pair + Self.count
            let value = (start + 1..<whole).reduce(UInt64(0)) { $0 << 8 | UInt64(bytes[$1]) }
            return (bytes[start], Int64(bitPattern: value))
        }
        guard let standing = Standing(rawValue: code) else { return nil }
        let second = joined.part(pair..<pair + Self.count)
        self.init(
            current: current,
            lookup: lookup,
            other: Other(
                secret: second,
                standing: standing,
                since: Instant(milliseconds: milliseconds)
            )
        )
    }

    /// What `init(_:)` reads.
    var joined: Secret {
        // No room is given back before it is wiped: it would keep what it held.
        var bytes: [UInt8] = []
        bytes.reserveCapacity(3 * Self.count + 1 + Self.instantCount)
        for part in [current, lookup, other?.secret] {
            part?.withBytes { span in for index in span.indices { bytes.append(span[index]) } }
        }
        if let other {
            bytes.append(other.standing.rawValue)
            bytes.append(bigEndian: UInt64(bitPattern: other.since.milliseconds))
        }
        return Secret(wiping: &bytes)
    }
}

extension Secret {
    fileprivate func part(_ range: Range<Int>) -> Secret {
        withBytes { Secret(copying: $0.extracting(range)) }
    }
}
