internal import Crypto
package import Domain
package import Issuing
internal import Runtime

/// A subject's key, unwrapped: seals and opens single values (Events 5).
package struct SubjectKey: SealingKey {
    private static let format: UInt8 = 1
    private let box: SealingBox

    /// Nil unless `key` is 32 bytes.
    init?(_ key: Secret) {
        guard let box = SealingBox(key) else { return nil }
        self.box = box
    }

    package func seal(_ value: [UInt8], as place: SealedPlace) -> Sealed {
        Sealed(bytes: [Self.format] + box.seal(value.span, for: Self.purpose(place)))
    }

    package func open(_ sealed: Sealed, at place: SealedPlace) -> [UInt8]? {
        let bytes = sealed.bytes
        guard bytes.first == Self.format else { return nil }
        return box.open(bytes.span.extracting(1..<bytes.count), for: Self.purpose(place))
    }

    /// HMAC by the key over its own name.
    ///
    /// AES-GCM alone does not commit to its key: a ciphertext can be made that opens under two.
    static func commitment(of key: Secret, named id: StreamID) -> [UInt8] {
        let name = Array("chancery-seal-commitment-1\u{0}".utf8) + id.bytes
        return (try? HMACKey.tag(of: name, keyedWith: key)) ?? []
    }

    private static func purpose(_ place: SealedPlace) -> [UInt8] {
        place.stream.bytes + place.member.utf8
    }
}
