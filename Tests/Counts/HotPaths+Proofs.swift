import Crypto
import Domain
import Issuing
import OAuth
import Runtime
import Signing

/// What a phone proves with its key.
extension HotPaths {
    func proofs() throws -> [HotPath] {
        let (proof, publicKey) = try proof()
        guard let dot = proof.lastIndex(of: UInt8(ascii: ".")),
            let signature = Base64URL.decode(proof[(dot + 1)...])
        else { throw World.Malformed() }
        let signed = Array(proof[..<dot])
        let url = "\(world.project.issuer)/oauth2/token"
        let request = DPoPProofs.Request(headers: [proof], method: "POST", url: url)
        let key = try VerificationKey(publicKey, for: .es256)
        let (proofs, project) = (world.proofs, world.project)
        return [
            HotPath(
                "Issuing: a proof of possession, without the verification",
                repeats: 100,
                aside: {
                    guard key.accepts(signature, of: signed) else { throw World.Malformed() }
                },
                run: {
                    guard try proofs.read(request, of: nil, in: project) != nil else {
                        throw World.Malformed()
                    }
                }
            )
        ]
    }

    /// A proof and its key, those of the first process: a verification takes thousands of
    /// instructions more or fewer from one key and signature to the next.
    private func proof() throws -> (bytes: [UInt8], key: PublicKey) {
        let (proofFile, keyFile) = ("\(world.folder)/proof", "\(world.folder)/proof-key")
        if let proof = try? FileReading.bytes(at: proofFile, bytesMax: 4096) {
            let point = try FileReading.bytes(at: keyFile, bytesMax: 4096)
            return (proof, .p256(x: Array(point.prefix(32)), y: Array(point.dropFirst(32))))
        }
        let phone = try SigningKey.generate(.es256)
        guard case .p256(let x, let y) = phone.publicKey else { throw World.Malformed() }
        let header = """
            {"typ":"dpop+jwt","alg":"ES256","jwk":{"crv":"P-256","kty":"EC",\
            "x":"\(Base64URL.text(x))","y":"\(Base64URL.text(y))"}}
            """
        let payload = """
            {"htm":"POST","htu":"\(world.project.issuer)/oauth2/token",\
            "iat":\(World.now.seconds),"jti":"0f64a7d9-6f0e-4a0c-8f4e-1d5c8b1f2a3b"}
            """
        let parts = [header, payload].map { Base64URL.encode(Array($0.utf8)) }
        let signed = parts[0] + [UInt8(ascii: ".")] + parts[1]
        let proof = signed + [UInt8(ascii: ".")] + Base64URL.encode(try phone.sign(signed))
        try FileWriting.replace(keyFile, with: Array(x) + Array(y))
        try FileWriting.replace(proofFile, with: proof)
        return (proof, phone.publicKey)
    }
}
