package import Configuration
package import Signing

extension KeyEncryptionKey.Source {
    /// Where the settings say that a key comes from.
    package init(_ key: KeySettings.EncryptionKey) {
        self =
            switch key.form {
            case .key: .credential(path: key.path)
            case .passphrase: .passphrase(path: key.path)
            case .wrapped(let command): .wrapped(path: key.path, by: command)
            }
    }
}

extension KeyEncryptionKey.Second {
    /// The second key of the settings; nil where they name none.
    package init?(_ settings: KeySettings) {
        guard let second = settings.second else { return nil }
        self.init(KeyEncryptionKey.Source(second.key), second.standing)
    }
}
