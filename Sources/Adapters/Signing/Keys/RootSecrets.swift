internal import Crypto
package import Domain
package import Issuing
internal import OAuth
internal import Runtime

/// The root secret in its versions: everything keyed derives from one of them (Security 5).
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
    let second: Second?

    /// A second root secret, and since when it stands beside the current one.
    struct Second: Sendable {
        let secret: Secret
        let standing: KeyStanding
        let since: Instant
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
        return RootSecrets(current: secret, lookup: secret, second: nil)
    }

    init(current: Secret, lookup: Secret, second: Second?) {
        self.current = current
        self.lookup = lookup
        self.second = second
    }
}

// MARK: Replacement

extension RootSecrets {
    /// Why a step of a replacement is not taken.
    package enum Refusal: Error, Hashable, Sendable {
        /// A second one stands beside the current one already.
        case underWay(KeyStanding)
        /// There is no second one of this standing.
        case absent(KeyStanding)
        /// It may be taken from then on.
        case early(KeyStanding, until: Instant)
    }

    /// With a next one beside the current one.
    package func staging(at now: Instant) throws(Refusal) -> RootSecrets {
        if let second { throw .underWay(second.standing) }
        let next = SecureRandom.secret(Self.count)
        return beside(Second(secret: next, standing: .next, since: now))
    }

    /// The next one as the current one, and the current one as the former.
    package func promoting(at now: Instant) throws(Refusal) -> RootSecrets {
        guard let second, second.standing == .next else { throw .absent(.next) }
        try second.requireAge(Self.stagedMin, at: now)
        return RootSecrets(
            current: second.secret,
            lookup: lookup,
            second: Second(secret: current, standing: .former, since: now)
        )
    }

    /// Without the former one, or without a next one that shall not become the current one.
    package func retiring(at now: Instant) throws(Refusal) -> RootSecrets {
        guard let second else { throw .absent(.former) }
        if second.standing == .former { try second.requireAge(Self.formerMin, at: now) }
        return beside(nil)
    }

    /// A new one at once; what is shown under a MAC by any before is not taken again.
    ///
    /// A next one goes, too: it lay in the file that was stolen.
    package func renewed() -> RootSecrets {
        RootSecrets(current: SecureRandom.secret(Self.count), lookup: lookup, second: nil)
    }

    private func beside(_ second: Second?) -> RootSecrets {
        RootSecrets(current: current, lookup: lookup, second: second)
    }
}

extension RootSecrets.Second {
    fileprivate func requireAge(_ age: Duration, at now: Instant) throws(RootSecrets.Refusal) {
        let until = since.adding(seconds: age.components.seconds)
        guard now >= until else { throw .early(standing, until: until) }
    }
}

// MARK: What may be said of them

extension RootSecrets {
    /// What tells them from others, and nothing else of them.
    package struct Outline: Hashable, Sendable {
        /// Of the current one, 32 bits.
        package let id: UInt32
        /// Of what streams are named with.
        package let log: UInt32
        /// The one beside the current one; nil while there is none.
        package let second: Second?

        /// A second one, and since when it has its standing.
        package struct Second: Hashable, Sendable {
            package let id: UInt32
            package let standing: KeyStanding
            package let since: Instant
        }
    }

    package var outline: Outline {
        Outline(
            id: Self.id(of: current),
            log: Self.id(of: lookup),
            second: second.map { second in
                .init(
                    id: Self.id(of: second.secret),
                    standing: second.standing,
                    since: second.since
                )
            }
        )
    }

    private static func id(of secret: Secret) -> UInt32 {
        let info = Array("chancery-root-secret-id".utf8)
        let tag = HMACKey(derivedFrom: secret, info: info).tag([])
        return UInt32(bigEndian: tag.span.extracting(0..<4))
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
            self.init(current: current, lookup: lookup, second: nil)
            return
        }
        let (code, milliseconds) = joined.withBytes { bytes in
            let start = pair + Self.count
            return (bytes[start], Int64(bigEndian: bytes.extracting(start + 1..<whole)))
        }
        guard let standing = KeyStanding.allCases.first(where: { $0.code == code }) else {
            return nil
        }
        let second = joined.part(pair..<pair + Self.count)
        self.init(
            current: current,
            lookup: lookup,
            second: Second(
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
        for part in [current, lookup, second?.secret] {
            part?.withBytes { span in for index in span.indices { bytes.append(span[index]) } }
        }
        if let second {
            bytes.append(second.standing.code)
            bytes.append(bigEndian: UInt64(bitPattern: second.since.milliseconds))
        }
        return Secret(wiping: &bytes)
    }
}

extension KeyStanding {
    /// What stands for it in the file.
    fileprivate var code: UInt8 {
        switch self {
        case .next: 1
        case .former: 2
        }
    }
}

extension Secret {
    fileprivate func part(_ range: Range<Int>) -> Secret {
        withBytes { Secret(copying: $0.extracting(range)) }
    }
}
