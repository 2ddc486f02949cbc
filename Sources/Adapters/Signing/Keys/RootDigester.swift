internal import Crypto
package import Domain
package import Issuing
internal import Runtime

/// SHA-256, and HMACs with keys derived from the root secret, one for each label.
///
/// Other root secrets are taken while it is in use; what names streams stays.
package final class RootDigester: Digester {
    /// What the names of streams are made with.
    private let lookup: HMACKey
    private let keys: Guarded<LabelKeys>

    /// Derives all keys: HKDF with the label as `info`.
    package init(_ secrets: RootSecrets) {
        lookup = LabelKeys.key(.lookup, from: secrets.lookup)
        keys = Guarded(LabelKeys(secrets, lookup: lookup))
    }

    /// Takes others from now on, which must be of the same log: their `lookup` is not looked at.
    package func use(_ secrets: RootSecrets) {
        keys.replace(with: LabelKeys(secrets, lookup: lookup))
    }

    package func sha256(_ bytes: [UInt8]) -> TokenDigest { TokenDigest(words: SHA256.words(bytes)) }

    package func mac(_ label: KeyLabel, _ bytes: [UInt8]) -> TokenDigest {
        let key = label == .lookup ? lookup : keys.current[label]
        return TokenDigest(words: key.words(bytes))
    }

    // Both of one look, here and below: a promotion in between would leave out the key of before.
    package func macs(_ label: KeyLabel, _ bytes: [UInt8])
        -> (current: TokenDigest, second: TokenDigest?)
    {
        let keys = keys.current
        let second = (keys.second?[label].words(bytes)).map { TokenDigest(words: $0) }
        return (TokenDigest(words: keys[label].words(bytes)), second)
    }

    package func isValid(_ mac: TokenDigest, _ label: KeyLabel, _ bytes: [UInt8]) -> Bool {
        let keys = keys.current
        if TokenDigest(words: keys[label].words(bytes)) == mac { return true }
        guard let second = keys.second else { return false }
        return TokenDigest(words: second[label].words(bytes)) == mac
    }
}

/// One key for each label, so that a tag for one purpose is worth nothing for another.
private final class LabelKeys: Sendable {
    /// Those of the second root secret.
    let second: LabelKeys?
    private let lookup, refresh, loginLink, form, cursor, reference, snapshot: HMACKey
    private let challenge, appSession, dpopNonce, pushedCode: HMACKey
    private let deviceSecret, deviceSecretHash: HMACKey

    convenience init(_ secrets: RootSecrets, lookup: HMACKey) {
        let second = secrets.second.map { LabelKeys($0.secret, lookup: lookup, second: nil) }
        self.init(secrets.current, lookup: lookup, second: second)
    }

    private init(_ root: Secret, lookup: HMACKey, second: LabelKeys?) {
        func key(_ label: KeyLabel) -> HMACKey { Self.key(label, from: root) }
        self.lookup = lookup
        self.second = second
        refresh = key(.refresh)
        loginLink = key(.loginLink)
        form = key(.form)
        cursor = key(.cursor)
        reference = key(.reference)
        snapshot = key(.snapshot)
        challenge = key(.challenge)
        appSession = key(.appSession)
        dpopNonce = key(.dpopNonce)
        pushedCode = key(.pushedCode)
        deviceSecret = key(.deviceSecret)
        deviceSecretHash = key(.deviceSecretHash)
    }

    static func key(_ label: KeyLabel, from secret: Secret) -> HMACKey {
        HMACKey(derivedFrom: secret, info: Array(label.rawValue.utf8))
    }

    subscript(label: KeyLabel) -> HMACKey {
        switch label {
        case .lookup: lookup
        case .refresh: refresh
        case .loginLink: loginLink
        case .form: form
        case .cursor: cursor
        case .reference: reference
        case .snapshot: snapshot
        case .challenge: challenge
        case .appSession: appSession
        case .dpopNonce: dpopNonce
        case .pushedCode: pushedCode
        case .deviceSecret: deviceSecret
        case .deviceSecretHash: deviceSecretHash
        }
    }
}
