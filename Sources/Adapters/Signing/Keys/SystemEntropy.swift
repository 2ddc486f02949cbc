internal import Crypto
internal import Issuing

/// Unpredictable bytes of the cryptographic library.
package struct SystemEntropy: Entropy {
    /// There is one source.
    package init() {}

    package func bytes(_ count: Int) -> [UInt8] { SecureRandom.bytes(count) }
}
