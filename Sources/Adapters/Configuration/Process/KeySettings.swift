package import Issuing

/// Section `keys`: files with secrets, mode 0600, never their contents (Security 6).
package struct KeySettings: Sendable {
    /// A key encryption key: its file, and what is made of that.
    package struct EncryptionKey: Hashable, Sendable {
        /// What is made of the file.
        package enum Form: Hashable, Sendable {
            /// It is the key: 32 bytes, or 64 hexadecimal digits.
            case key
            /// It is a passphrase, to be stretched.
            case passphrase
            /// This program, named with its arguments, makes the key of it.
            case wrapped(by: [String])
        }

        /// The file.
        package let path: String
        /// What it holds.
        package let form: Form

        /// Reads it from section `keys`, or one below it that names a second key.
        fileprivate init(_ keys: Section) {
            let command = keys.optionalStrings("kek_unwrap_command")
            guard keys.has("kek_passphrase_file") else {
                let hint = "a file with 32 random bytes; or kek_passphrase_file"
                path = keys.string("kek_file", hint: hint)
                form = command.map { .wrapped(by: $0) } ?? .key
                // No search path decides which program sees the key.
                let isProgram = command?.first?.hasPrefix("/") ?? false
                if keys.isList("kek_unwrap_command"), !isProgram {
                    keys.report("kek_unwrap_command", "must begin with the full path of a program")
                }
                return
            }
            path = keys.optionalString("kek_passphrase_file") ?? ""
            form = .passphrase
            if keys.has("kek_file") {
                keys.report("kek_passphrase_file", "stands for kek_file: leave one of them out")
            }
            if command != nil {
                keys.report("kek_unwrap_command", "makes the key of kek_file, not of a passphrase")
            }
        }
    }

    /// Root secret and signing keys of all projects, each sealed under the key encryption key.
    package let directory: String
    /// The key that wraps.
    package let encryptionKey: EncryptionKey
    /// One that opens, too, while one replaces the other.
    package let second: (key: EncryptionKey, standing: KeyStanding)?

    /// Reads the section; findings go to its document.
    package init(_ root: Section) {
        let keys = root.section(.keys)
        directory = keys.string("directory", hint: "where root secret and signing keys are kept")
        encryptionKey = EncryptionKey(keys)
        let standings = KeyStanding.allCases.filter { keys.has($0.rawValue) }
        second = standings.last.map { (EncryptionKey(keys.section($0.rawValue)), $0) }
        if standings.count > 1 {
            keys.report("next", "stands beside former: leave one of them out")
            _ = EncryptionKey(keys.section("next"))
        }
    }
}
