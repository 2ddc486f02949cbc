package import Configuration
package import Signing

extension KeyEncryptionKey.Source {
    /// Where section `keys` says that the key comes from.
    package init(_ settings: KeySettings) {
        let path = settings.encryptionKeyPath
        self =
            switch settings.encryptionKeyForm {
            case .key: .credential(path: path)
            case .passphrase: .passphrase(path: path)
            case .wrapped(let command): .wrapped(path: path, by: command)
            }
    }
}
