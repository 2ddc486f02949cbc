internal import Crypto
package import Domain
package import Issuing
internal import Runtime

/// A subject's key, unwrapped: seals and opens single values (events.md section 5).
package struct SubjectKey: SealingKey {
    private static let format: UInt8 = 1
    private let key: Secret

    /// Takes 32 bytes.
    init(_ key: Secret) { self.key = key }

    package func seal(_ value: [UInt8], as place: SealedPlace) -> Sealed {
        let nonce = SecureRandom.bytes(AES256GCM.nonceCount)
        let sealed = try? AES256GCM.seal(
            value.span,
            key: key,
            nonce: nonce,
            additionalData: Self.additionalData(place)
        )
        // The lengths are right by construction; what is left is want of memory.
        guard let sealed else { fatalError("AES-256-GCM is not available") }
        return Sealed(bytes: [Self.format] + nonce + sealed)
    }

    package func open(_ sealed: Sealed, at place: SealedPlace) -> [UInt8]? {
        let bytes = sealed.bytes
        guard bytes.count > AES256GCM.nonceCount, bytes[0] == Self.format else { return nil }
        let rest = Array(bytes[(1 + AES256GCM.nonceCount)...])
        return try? AES256GCM.open(
            rest.span,
            key: key,
            nonce: Array(bytes[1...AES256GCM.nonceCount]),
            additionalData: Self.additionalData(place)
        )
    }

    /// HMAC by the key over its own name.
    ///
    /// AES-GCM alone does not commit to its key: a ciphertext can be made that opens under two.
    static func commitment(of key: Secret, named id: StreamID) -> [UInt8] {
        guard let mac = try? HMACKey(key) else { return [] }
        return mac.tag(Array("chancery-seal-commitment-1\u{0}".utf8) + id.bytes)
    }

    private static func additionalData(_ place: SealedPlace) -> [UInt8] {
        place.stream.bytes + place.member.utf8
    }
}
