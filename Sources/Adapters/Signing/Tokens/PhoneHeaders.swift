internal import Domain
internal import Issuing
internal import Runtime

/// Headers of JWTs that phones signed of late, read: a phone sends the same bytes each time.
///
/// What a header says depends on nothing but its bytes and the kind of JWT it is wanted for; that
/// the key in it signed the rest is asked each time.
final class PhoneHeaders: Sendable {
    struct Name: Hashable {
        /// As received, in base64url; a text, which is hashed by the word and not by the byte.
        var encoded: String
        var kind: ClientJWT.Kind
    }

    struct Header {
        /// `alg`, one of those the kind allows.
        var algorithm: String
        /// `jwk`, loadable for the algorithm.
        var key: DeviceKey?
        /// Of the header or its `jwk`.
        var keyID: String?
    }

    /// Of those used last, half as many are found for sure, and so many at most: 4 MiB.
    private static let countMax = 2048
    /// A longer one, with an RSA key perhaps, is read again.
    private static let bytesMax = 1024

    private let headers = Guarded(RecentlyUsed<Name, Header>(countMax: countMax))

    /// The header of these bytes, if it was read and not forgotten since.
    func find(_ name: Name) -> Header? { headers.withLock { $0.find(name) } }

    /// Keeps one that is in order.
    func insert(_ header: Header, for name: Name) {
        guard name.encoded.utf8.count <= Self.bytesMax else { return }
        headers.withLock { $0.insert(header, for: name) }
    }
}
