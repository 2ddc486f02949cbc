import OAuth
import Runtime

/// Random values made at the first start and kept: keys, tokens, client secrets.
struct DevSecrets: Sendable {
    let folder: DevFolder

    var encryptionKeyPath: String { path("kek") }
    /// Made by the first token-issuer.
    var signingKeys: String { path("signing") }

    /// Makes the key encryption key when it is missing: 32 bytes.
    func create() throws(CommandFailure) {
        if !Files.exists(encryptionKeyPath) {
            do { try FileWriting.replace(encryptionKeyPath, with: Wiring.randomBytes(32)) } catch {
                throw CommandFailure("cannot write \(encryptionKeyPath): \(error)")
            }
        }
    }

    /// A text of 43 characters under this name, the same at every start.
    func text(_ name: String) throws(CommandFailure) -> String {
        if let text = Files.text(path(name)), !text.isEmpty { return text }
        let text = Base64URL.text(Wiring.randomBytes(32))
        try Files.write(text, to: path(name))
        return text
    }

    /// Where such a text is kept, for programs that read it themselves.
    func file(_ name: String) throws(CommandFailure) -> String {
        _ = try text(name)
        return path(name)
    }

    /// What settings hold in place of such a text: 64 hexadecimal digits.
    func digest(_ name: String) throws(CommandFailure) -> String {
        let digest = Wiring.sha256(Array(try text(name).utf8))
        return digest.map { byte in
            let digits = String(byte, radix: 16)
            return digits.count == 1 ? "0" + digits : digits
        }.joined()
    }

    private func path(_ name: String) -> String { "\(folder.secrets)/\(name)" }
}
