internal import Crypto
package import Domain
package import Issuing
internal import Runtime

/// SHA-256, and HMACs with keys derived from the root secret, one for each label.
package struct RootDigester: Digester {
    private let current: [KeyLabel: HMACKey]
    private let previous: [KeyLabel: HMACKey]

    /// Derives all keys: HKDF with the label as `info`.
    package init(_ secrets: RootSecrets) {
        current = Self.derive { $0 == .lookup ? secrets.lookup : secrets.current }
        previous =
            secrets.previous.map { former in
                Self.derive { $0 == .lookup ? secrets.lookup : former }
            } ?? [:]
    }

    package func sha256(_ bytes: [UInt8]) -> TokenDigest { TokenDigest(words: SHA256.words(bytes)) }

    package func mac(_ label: KeyLabel, _ bytes: [UInt8]) -> TokenDigest {
        guard let key = current[label] else { fatalError("every label has a key") }
        return TokenDigest(words: key.words(bytes))
    }

    package func isValid(_ mac: TokenDigest, _ label: KeyLabel, _ bytes: [UInt8]) -> Bool {
        if self.mac(label, bytes) == mac { return true }
        guard let key = previous[label] else { return false }
        return TokenDigest(words: key.words(bytes)) == mac
    }

    private static func derive(_ secret: (KeyLabel) -> Secret) -> [KeyLabel: HMACKey] {
        var keys: [KeyLabel: HMACKey] = [:]
        for label in KeyLabel.allCases {
            let info = Array(label.rawValue.utf8)
            // Fixed lengths: only want of memory fails, and then nothing can be served.
            guard
                let derived = try? HKDF.derive(from: secret(label), info: info, count: 32),
                let key = try? HMACKey(derived)
            else { fatalError("HKDF is not available") }
            keys[label] = key
        }
        return keys
    }
}
