/// Section `keys`: files with secrets, mode 0600, never their contents (security.md section 6).
package struct KeySettings: Sendable {
    /// Root secret and signing keys of all projects, each sealed under the key encryption key.
    package let directory: String
    /// 32 bytes.
    package let encryptionKeyPath: String

    /// Reads the section; findings go to its document.
    package init(_ root: Section) {
        let keys = root.section(.keys)
        directory = keys.string("directory", hint: "where root secret and signing keys are kept")
        encryptionKeyPath = keys.string("kek_file", hint: "a file with 32 random bytes")
    }
}
