internal import Crypto
package import Domain
package import Issuing
internal import Runtime

/// SHA-256, and HMACs with keys derived from the root secret, one for each label.
package struct RootDigester: Digester {
    private let current: LabelKeys
    private let previous: LabelKeys?

    /// Derives all keys: HKDF with the label as `info`.
    package init(_ secrets: RootSecrets) {
        current = LabelKeys(secrets.current, lookup: secrets.lookup)
        previous = secrets.previous.map { LabelKeys($0, lookup: secrets.lookup) }
    }

    package func sha256(_ bytes: [UInt8]) -> TokenDigest { TokenDigest(words: SHA256.words(bytes)) }

    package func mac(_ label: KeyLabel, _ bytes: [UInt8]) -> TokenDigest {
        TokenDigest(words: current[label].words(bytes))
    }

    package func isValid(_ mac: TokenDigest, _ label: KeyLabel, _ bytes: [UInt8]) -> Bool {
        if self.mac(label, bytes) == mac { return true }
        guard let previous else { return false }
        return TokenDigest(words: previous[label].words(bytes)) == mac
    }
}

/// One key for each label, so that a tag for one purpose is worth nothing for another.
private struct LabelKeys: Sendable {
    private let lookup, refresh, loginLink, form, cursor, reference, snapshot: HMACKey
    private let challenge, appSession, dpopNonce, pushedCode: HMACKey
    private let deviceSecret, deviceSecretHash: HMACKey

    init(_ root: Secret, lookup fixed: Secret) {
        func key(_ label: KeyLabel, from secret: Secret) -> HMACKey {
            HMACKey(derivedFrom: secret, info: Array(label.rawValue.utf8))
        }
        lookup = key(.lookup, from: fixed)
        refresh = key(.refresh, from: root)
        loginLink = key(.loginLink, from: root)
        form = key(.form, from: root)
        cursor = key(.cursor, from: root)
        reference = key(.reference, from: root)
        snapshot = key(.snapshot, from: root)
        challenge = key(.challenge, from: root)
        appSession = key(.appSession, from: root)
        dpopNonce = key(.dpopNonce, from: root)
        pushedCode = key(.pushedCode, from: root)
        deviceSecret = key(.deviceSecret, from: root)
        deviceSecretHash = key(.deviceSecretHash, from: root)
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
