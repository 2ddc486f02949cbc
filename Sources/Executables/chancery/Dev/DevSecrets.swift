import OAuth
import Runtime

/// Random values made at the first start and kept: keys, tokens, client secrets.
struct DevSecrets: Sendable {
    let folder: DevFolder

    var rootSecretPath: String { path("root-secret") }
    var encryptionKeyPath: String { path("kek") }
    var signingKeys: String { path("signing") }

    /// Makes what is missing: 32 bytes each.
    func create() throws(CommandFailure) {
        do { try FileWriting.makeDirectory(signingKeys) } catch {
            throw CommandFailure("cannot make \(signingKeys): \(error)")
        }
        for file in [rootSecretPath, encryptionKeyPath] where !Files.exists(file) {
            do { try FileWriting.replace(file, with: Wiring.randomBytes(32)) } catch {
                throw CommandFailure("cannot write \(file): \(error)")
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
