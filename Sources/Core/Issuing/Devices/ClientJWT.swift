package import Domain
package import OAuth

/// A JWT that an app signed with a key of its phone: well-formed, and nothing of it is believed.
///
/// One form for all of them (WireContract 6.2 and 6.4); only `DeviceProofs` believes one.
package struct ClientJWT: Sendable {
    /// What it is for; each goes only where its `typ` belongs (Security 3).
    package enum Kind: Hashable, Sendable, CaseIterable { case app2app, biometric, dpop }

    /// The longest one that is looked at (WireContract 1.1).
    package static let bytesMax = 8 * 1024

    /// What is wrong with its form; callers hear one answer, the log hears which.
    package enum Malformed: Error, Hashable {
        case form, type, algorithm, header, key, keyID
    }

    package var kind: Kind
    /// `alg`, one of those the kind allows.
    package var algorithm: String
    /// `jwk` of the header: it counts only where a key is bound for the first time.
    package var key: DeviceKey?
    /// Of the header or its `jwk`.
    package var keyID: String?
    package var payload: JSON
    /// Header, dot and payload as received.
    package var signed: [UInt8]
    package var signature: [UInt8]

    package init(
        kind: Kind,
        algorithm: String,
        key: DeviceKey?,
        keyID: String?,
        payload: JSON,
        signed: [UInt8],
        signature: [UInt8]
    ) {
        self.kind = kind
        self.algorithm = algorithm
        self.key = key
        self.keyID = keyID
        self.payload = payload
        self.signed = signed
        self.signature = signature
    }
}

extension ClientJWT.Kind {
    /// `typ`, compared byte by byte.
    package var type: String {
        switch self {
        case .app2app: "vnd.authgear.app2app-request"
        case .biometric: "vnd.authgear.biometric-request"
        case .dpop: "dpop+jwt"
        }
    }

    /// The values of `alg` it may have.
    package var algorithms: [String] {
        switch self {
        case .app2app, .biometric: ["ES256", "RS256"]
        case .dpop: ["ES256", "RS256", "EdDSA"]
        }
    }
}
