/// Section `keys`: files with secrets, mode 0600, never their contents (security.md section 6).
package struct KeySettings: Sendable {
    /// Signing keys of all projects, each in an envelope under the key encryption key.
    package let directory: String
    /// 32 bytes.
    package let encryptionKeyPath: String
    /// At least 32 bytes.
    package let rootSecretPath: String
    /// The one before, still accepted.
    package let previousRootSecretPath: String?

    /// Reads the section; findings go to its document.
    package init(_ root: Section) {
        let keys = root.section("keys")
        directory = keys.string("directory", hint: "where signing keys are kept")
        encryptionKeyPath = keys.string("kek_file", hint: "a file with 32 random bytes")
        rootSecretPath = keys.string("root_secret_file", hint: "a file with 32 random bytes")
        previousRootSecretPath = keys.optionalString("previous_root_secret_file")
    }
}
