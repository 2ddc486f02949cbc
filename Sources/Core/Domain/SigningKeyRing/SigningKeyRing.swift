/// The signing keys of a project (Events 8.12); private halves are files, never events.
package enum SigningKeyRing {
    /// Keys in the order they were staged; none is the initial state.
    package struct State: Hashable, Sendable {
        package var keys: [Key]

        package init(keys: [Key] = []) { self.keys = keys }

        /// Whether tokens by a key count; nil when the ring has none of this id.
        package func believes(_ kid: String) -> Bool? {
            keys.first { $0.kid == kid }?.status.isBelieved
        }
    }

    package enum Algorithm: String, Hashable, Sendable, CaseIterable {
        case es256 = "ES256"
        case rs256 = "RS256"
        case edDSA = "EdDSA"
    }

    package enum Status: Hashable, Sendable {
        case staged, current, previous, removed
        /// Tokens issued before this instant are refused.
        case compromised(issuedBefore: Instant)

        /// Whether what a key signed counts.
        ///
        /// A staged one may already sign on a node that has seen its promotion; whoever stole a key
        /// also chooses what `iat` its tokens carry.
        package var isBelieved: Bool {
            switch self {
            case .staged, .current, .previous: true
            case .removed, .compromised: false
            }
        }
    }

    package struct Key: Hashable, Sendable {
        /// RFC 7638 thumbprint, 43 characters.
        package var kid: String
        package var algorithm: Algorithm
        /// The public JWK as canonical JSON.
        package var publicKey: [UInt8]
        package var status: Status
        package var stagedAt: Instant
        /// When it stopped signing.
        package var retiredAt: Instant?

        package init(
            kid: String,
            algorithm: Algorithm,
            publicKey: [UInt8],
            status: Status,
            stagedAt: Instant,
            retiredAt: Instant? = nil
        ) {
            self.kid = kid
            self.algorithm = algorithm
            self.publicKey = publicKey
            self.status = status
            self.stagedAt = stagedAt
            self.retiredAt = retiredAt
        }
    }

    /// A key must have been published this long before it signs, so that caches know it.
    package static let stagedMilliseconds: Int64 = 24 * 3600 * 1000

    /// A key stays published this long after it stopped signing: longest token life and an hour.
    package static let retainedMilliseconds: Int64 = 2 * 3600 * 1000

    package enum Command: Sendable {
        case stage(kid: String, Algorithm, publicKey: [UInt8], at: Instant)
        /// Makes the staged key current and the current one of its algorithm previous.
        case promote(kid: String, emergency: Bool, at: Instant)
        /// Takes a previous key out of the JWKS.
        case remove(kid: String, at: Instant)
        case compromise(kid: String, issuedBefore: Instant)
    }

    package enum Event: Hashable, Sendable {
        case staged(kid: String, Algorithm, publicKey: [UInt8], at: Instant)
        /// Follows the `retired` of the former current key of its algorithm.
        case promoted(kid: String, emergency: Bool)
        case retired(kid: String, at: Instant)
        case removed(kid: String)
        case compromised(kid: String, issuedBefore: Instant)
    }

    package enum Rejection: Error, Hashable {
        case knownKey, unknownKey, notStaged, notPrevious, compromised
        /// Until then not every cache may know it.
        case stagedTooRecently(until: Instant)
        /// Until then tokens it signed may still be alive.
        case retiredTooRecently(until: Instant)
    }
}
