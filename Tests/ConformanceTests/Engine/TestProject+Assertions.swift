import Foundation

extension TestProject {
    /// A client assertion of `client` (RFC 7523), everything right but for `options`; `signer`:
    /// whose key signs it.
    func assertion(
        of client: String,
        by signer: String? = nil,
        _ options: [String: String] = [:]
    ) throws -> String {
        let right = [
            "typ": "JWT", "jwk": "no", "claim.iss": client, "claim.sub": client,
            "claim.aud": site.origin, "claim.jti": UUID().uuidString,
        ]
        let name = signer ?? client
        guard let key = keys[name] else { throw SignIn.Failed(description: "\(name) has no key") }
        return try key.jwt(right.merging(options) { $1 })
    }

    /// The form members that prove `client` by an assertion.
    func assertionForm(
        _ client: String,
        by signer: String? = nil,
        _ options: [String: String] = [:]
    ) throws -> [(String, String)] {
        [
            (
                "client_assertion_type",
                "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
            ),
            ("client_assertion", try assertion(of: client, by: signer, options)),
        ]
    }
}
