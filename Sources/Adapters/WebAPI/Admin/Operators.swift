package import Domain
package import Issuing

/// Who may use the admin API: bearer tokens by their SHA-256 (wire.md section 13.3).
package struct Operators: Sendable {
    package struct Credential: Sendable {
        package let holder: Operator
        package let tokenDigest: TokenDigest

        package init(holder: Operator, tokenDigest: TokenDigest) {
            self.holder = holder
            self.tokenDigest = tokenDigest
        }
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
    func holder(of token: [UInt8]) -> Operator? {
        let digest = digester.sha256(token)
        var found: Operator?
        // All are compared: the time does not tell which one fitted.
        for credential in credentials where credential.tokenDigest == digest {
            found = credential.holder
        }
        return found
    }
}
