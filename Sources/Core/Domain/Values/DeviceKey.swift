/// A public key whose private half stays in a phone's key store (WireContract 6.2).
///
/// Two keys are the same when their thumbprints are (RFC 7638).
package struct DeviceKey: Hashable, Sendable {
    package var thumbprint: Thumbprint
    /// The members that make the key, as canonical JSON.
    package var jwk: [UInt8]

    package init(thumbprint: Thumbprint, jwk: [UInt8]) {
        self.thumbprint = thumbprint
        self.jwk = jwk
    }

    package static func == (left: Self, right: Self) -> Bool {
        left.thumbprint == right.thumbprint
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(thumbprint) }
}
