package import Domain
internal import OAuth

/// Parameters of a request, kept in a URL for minutes (WireContract 4, 9.4).
///
/// A Lax cookie does not come with a cross-site POST, so the browser is sent to the same route by
/// GET. The parameters are authentic, not secret: they came from the browser's own form.
package struct SealedReferences: Sendable {
    /// Which route made it; a reference of one is none of another.
    package enum Purpose: String, Sendable { case authorize, endSession, logout, outcome }

    /// Of one that the browser follows at once.
    package static let lifetimeSeconds: Int64 = 300
    /// So that the URL stays within 8 KiB.
    package static let parametersBytesMax = 5 * 1024

    private let digester: any Digester

    package init(_ digester: any Digester) { self.digester = digester }

    /// ASCII text for a query; nil past `parametersBytesMax`.
    package func seal(
        _ parameters: [UInt8],
        for purpose: Purpose,
        seconds: Int64 = lifetimeSeconds,
        at now: Instant
    ) -> [UInt8]? {
        guard parameters.count <= Self.parametersBytesMax else { return nil }
        var payload: [UInt8] = []
        payload.append(bigEndian: UInt64(bitPattern: now.adding(seconds: seconds).milliseconds))
        payload += parameters
        let mac = digester.mac(.reference, Self.preimage(purpose, payload))
        return Base64URL.encode(mac.bytes + payload)
    }

    /// The parameters; nil when altered, of another purpose or too old.
    package func open(_ text: [UInt8], for purpose: Purpose, at now: Instant) -> [UInt8]? {
        guard let bytes = Base64URL.decode(text), bytes.count >= 40,
            let mac = TokenDigest(bytes: bytes[..<32])
        else { return nil }
        let payload = Array(bytes[32...])
        guard digester.isValid(mac, .reference, Self.preimage(purpose, payload)) else {
            return nil
        }
        let expiry = Int64(bigEndian: payload.span.extracting(0..<8))
        guard now < Instant(milliseconds: expiry) else { return nil }
        return Array(payload[8...])
    }

    private static func preimage(_ purpose: Purpose, _ payload: [UInt8]) -> [UInt8] {
        Array(purpose.rawValue.utf8) + [0] + payload
    }
}
