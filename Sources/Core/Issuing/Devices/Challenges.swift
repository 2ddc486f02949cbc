package import Domain
internal import OAuth

/// Challenges for JWTs of phones: nothing is stored until one is used (WireContract 6.1).
///
/// Sixteen bytes (purpose, expiry, nonce) and their MAC, which binds the project, too.
package struct Challenges: Sendable {
    /// What a challenge is for; the raw value is the wire's.
    package enum Purpose: String, Hashable, Sendable, CaseIterable {
        case app2app = "app2app_request"
        case biometric = "biometric_request"

        // Made once: `allCases` is a new array each time.
        private static let all = allCases

        /// Nil for any other name, and for one of other bytes.
        package init?(name: String) {
            guard let purpose = Self.all.first(where: { name.isSame(as: $0.rawValue) }) else {
                return nil
            }
            self = purpose
        }

        fileprivate var code: UInt8 {
            switch self {
            case .app2app: 1
            case .biometric: 2
            }
        }
    }

    /// One that goes out.
    package struct Challenge: Hashable, Sendable {
        /// 67 ASCII bytes.
        package var text: [UInt8]
        package var expiresAt: Instant
    }

    private static let prefix = Array("ch_".utf8)
    private static let bodyBytes = 16
    private static let macBytes = 32
    private static let nonceBytes = 9
    private static let numberBytes = 2
    private static let textBytes = 67

    private let digester: any Digester
    private let clock: any WallClock
    private let entropy: any Entropy

    package init(digester: any Digester, clock: any WallClock, entropy: any Entropy) {
        self.digester = digester
        self.clock = clock
        self.entropy = entropy
    }

    /// A new one, good for `oauth.challenge_lifetime_seconds`.
    package func issue(_ purpose: Purpose, in project: Project) -> Challenge {
        let expiresAt = clock.now.adding(seconds: project.settings.challengeLifetimeSeconds)
            .wholeMilliseconds
        let milliseconds = UInt64(clamping: expiresAt.milliseconds)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Self.bodyBytes + Self.macBytes + Self.numberBytes)
        bytes.append(purpose.code)
        bytes.append(bigEndian: UInt16(truncatingIfNeeded: milliseconds >> 32))
        bytes.append(bigEndian: UInt32(truncatingIfNeeded: milliseconds))
        bytes.append(contentsOf: entropy.bytes(Self.nonceBytes))
        // What only the MAC sees: a challenge of one project is worth nothing in another.
        project.number.append(to: &bytes)
        let mac = digester.mac(.challenge, bytes)
        bytes.removeLast(Self.numberBytes)
        mac.append(to: &bytes)
        var text: [UInt8] = []
        text.reserveCapacity(Self.textBytes)
        text.append(contentsOf: Self.prefix)
        Base64URL.append(bytes, to: &text)
        return Challenge(text: text, expiresAt: expiresAt)
    }

    /// What is left to spend of a challenge of this purpose and project, unexpired at `now`; nil
    /// for any other text.
    package func read(
        _ text: [UInt8],
        for purpose: Purpose,
        in project: Project,
        at now: Instant
    ) -> SingleUse? {
        guard text.count == Self.textBytes, text.starts(with: Self.prefix),
            var body = Base64URL.decode(text[3...]), body.count == Self.bodyBytes + Self.macBytes,
            let mac = TokenDigest(bytes: body.span.extracting(last: Self.macBytes))
        else { return nil }
        body.removeLast(Self.macBytes)
        guard body[0] == purpose.code else { return nil }
        project.number.append(to: &body)
        guard digester.isValid(mac, .challenge, body) else { return nil }
        body.removeLast(Self.numberBytes)
        let milliseconds = Int64(bigEndian: body.span.extracting(1..<7))
        let expiresAt = Instant(milliseconds: milliseconds)
        guard now < expiresAt else { return nil }
        return SingleUse(
            purpose: .challenge,
            stream: StreamNames(digester).challenge(
                body,
                expiresAt: expiresAt,
                in: project.number
            ),
            expiresAt: expiresAt
        )
    }
}
