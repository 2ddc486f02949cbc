package import Domain
package import Issuing
internal import Runtime

/// Who may use the admin API: bearer tokens and client certificates by their SHA-256
/// (WireContract 13.3).
///
/// One for the life of a process; others take their place at SIGHUP, from the next request on.
package final class Operators: Sendable {
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

    private let credentials: Guarded<[Credential]>
    private let digester: any Digester

    package init(_ credentials: [Credential], digester: any Digester) {
        self.credentials = Guarded(credentials)
        self.digester = digester
    }

    /// Whose credential is not among these is nobody from now on.
    package func replace(with credentials: [Credential]) {
        self.credentials.replace(with: credentials)
    }

    /// Nobody: the admin API is off.
    package var isEmpty: Bool { credentials.current.isEmpty }

    /// The operator that holds `token`.
    func holder(of token: [UInt8]) -> Operator? { holder(.token(digester.sha256(token))) }

    /// The operator whose certificate this is, by the SHA-256 of its DER.
    func holder(ofCertificate digest: [UInt8]) -> Operator? {
        TokenDigest(bytes: digest).flatMap { holder(.certificate($0)) }
    }

    private func holder(_ shown: Proof) -> Operator? {
        var found: Operator?
        // All are compared, digests of equal length: the time does not tell which one fitted.
        for credential in credentials.current where credential.proof == shown {
            found = credential.holder
        }
        return found
    }
}
