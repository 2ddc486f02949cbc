/// Section `keys`: files with secrets, mode 0600, never their contents (security.md section 6).
package struct KeySettings: Sendable {
    /// What is made of the file of the key encryption key.
    package enum Form: Hashable, Sendable {
        /// It is the key: 32 bytes, or 64 hexadecimal digits.
        case key
        /// It is a passphrase, to be stretched.
        case passphrase
        /// This program, named with its arguments, makes the key of it.
        case wrapped(by: [String])
    }

    /// Root secret and signing keys of all projects, each sealed under the key encryption key.
    package let directory: String
    /// The file of the key encryption key.
    package let encryptionKeyPath: String
    /// What that file holds.
    package let encryptionKeyForm: Form

    /// Reads the section; findings go to its document.
    package init(_ root: Section) {
        let keys = root.section(.keys)
        directory = keys.string("directory", hint: "where root secret and signing keys are kept")
        let command = keys.optionalStrings("kek_unwrap_command")
        guard keys.has("kek_passphrase_file") else {
            let hint = "a file with 32 random bytes; or kek_passphrase_file"
            encryptionKeyPath = keys.string("kek_file", hint: hint)
            encryptionKeyForm = command.map { .wrapped(by: $0) } ?? .key
            // No search path decides which program sees the key.
            let isProgram = command?.first?.hasPrefix("/") ?? false
            if keys.isList("kek_unwrap_command"), !isProgram {
                keys.report("kek_unwrap_command", "must begin with the full path of a program")
            }
            return
        }
        encryptionKeyPath = keys.optionalString("kek_passphrase_file") ?? ""
        encryptionKeyForm = .passphrase
        if keys.has("kek_file") {
            keys.report("kek_passphrase_file", "stands for kek_file: leave one of them out")
        }
        if command != nil {
            keys.report("kek_unwrap_command", "makes the key of kek_file, not of a passphrase")
        }
    }
}
