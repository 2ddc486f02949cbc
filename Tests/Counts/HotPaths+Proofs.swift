import Crypto
import Domain
import HTTPServer
import Issuing
import OAuth
import Runtime
import Signing
import WebAPI

/// What a phone proves with its key.
extension HotPaths {
    func proofs() throws -> [HotPath] {
        let issuer = world.project.issuer
        let proof = try world.signedByPhone(
            "proof",
            header: { #","typ":"dpop+jwt","jwk":\#($0)"# },
            """
            {"htm":"POST","htu":"\(issuer)/oauth2/token","iat":\(World.now.seconds),\
            "jti":"0f64a7d9-6f0e-4a0c-8f4e-1d5c8b1f2a3b"}
            """
        )
        let url = "\(issuer)/oauth2/token"
        let request = DPoPProofs.Request(headers: [proof.bytes], method: "POST", url: url)
        let (proofs, project) = (world.proofs, world.project)
        return [
            HotPath(
                "Issuing: a proof of possession, without the verification",
                repeats: 100,
                aside: proof.verify,
                run: {
                    guard try proofs.read(request, by: nil, in: project) != nil else {
                        throw World.Malformed()
                    }
                }
            )
        ]
    }

    /// The two grants that cost most beside what they sign and verify.
    func phoneGrants() throws -> [HotPath] {
        let (login, identity) = (try world.biometricLogin(), try world.deviceIdentity())
        let key = try SigningKey.generate(.es256)
        let message = [UInt8](repeating: 0x61, count: 700)
        return [
            try token(
                "WebAPI: a login with a biometric key",
                world.biometricRequest(login),
                aside: {
                    try login.verify()
                    for _ in 0..<2 { _ = try key.sign(message) }
                }
            ),
            try token(
                "WebAPI: the exchange for a pre-authenticated URL",
                world.urlRequest(identity),
                aside: {
                    try identity.verify()
                    _ = try key.sign(message)
                }
            ),
        ]
    }

    private func token(
        _ name: String,
        _ request: WebAPI.Request,
        aside: @escaping HotPath.Work
    ) throws -> HotPath {
        let api = try world.api()
        return HotPath("\(name), without store and signatures", repeats: 100, aside: aside) {
            guard await api.respond(to: request).status == .ok else { throw World.Malformed() }
        }
    }
}
