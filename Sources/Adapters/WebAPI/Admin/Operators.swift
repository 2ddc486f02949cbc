package import Domain
package import Issuing

/// Who may use the admin API: bearer tokens and client certificates by their SHA-256 (wire.md
/// section 13.3).
package struct Operators: Sendable {
    package struct Credential: Sendable {
        package let holder: Operator
        package let proof: Proof

        package init(holder: Operator, proof: Proof) {
            self.holder = holder
            self.proof = proof
        }
    }

    /// What an operator shows.
    package enum Proof: Hashable, Sendable {
        /// A bearer token with this SHA-256.
        case token(TokenDigest)
        /// A client certificate whose DER has this SHA-256; TLS has proved that it is its own.
        case certificate(TokenDigest)
    }

    private let credentials: [Credential]
    private let digester: any Digester

    package init(_ credentials: [Credential], digester: any Digester) {
        self.credentials = credentials
        self.digester = digester
    }

    /// Nobody: the admin API is off.
    package var isEmpty: Bool { credentials.isEmpty }

    /// The operator that holds `token`.
    func holder(of token: [UInt8]) -> Operator? { holder(.token(digester.sha256(token))) }

    /// The operator whose certificate this is, by the SHA-256 of its DER.
    func holder(ofCertificate digest: [UInt8]) -> Operator? {
        TokenDigest(bytes: digest).flatMap { holder(.certificate($0)) }
    }

    private func holder(_ shown: Proof) -> Operator? {
        var found: Operator?
        // All are compared, digests of equal length: the time does not tell which one fitted.
        for credential in credentials where credential.proof == shown { found = credential.holder }
        return found
    }
}
