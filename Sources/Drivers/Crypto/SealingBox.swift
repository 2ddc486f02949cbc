package import Runtime

/// A 256-bit key that seals small values under nonces it draws itself (AES-256-GCM).
///
/// A value is nonce ‖ ciphertext ‖ tag, 28 bytes longer than what it holds. Random nonces of 96
/// bits are good for 2^32 values per key (NIST SP 800-38D section 8.3).
package struct SealingBox: Sendable {
    /// What a sealed value has more than its content, in bytes.
    package static let overhead = AES256GCM.nonceCount + AES256GCM.tagCount

    private let key: Secret

    /// Takes a key of exactly 32 bytes; nil for another length.
    package init?(_ key: Secret) {
        guard key.count == AES256GCM.keyCount else { return nil }
        self.key = key
    }

    /// Seals `content`, bound to `purpose`.
    package func seal(_ content: Span<UInt8>, for purpose: [UInt8]) -> [UInt8] {
        let nonce = SecureRandom.bytes(AES256GCM.nonceCount)
        do {
            let sealed = try AES256GCM.seal(
                content,
                key: key,
                nonce: nonce,
                additionalData: purpose
            )
            return nonce + sealed
        } catch {
            // The lengths are right; what is left is want of memory, which ends the process.
            fatalError("AES-256-GCM is not available")
        }
    }

    /// The content, or nil when another key, another purpose or other bytes sealed it.
    package func open(_ sealed: Span<UInt8>, for purpose: [UInt8]) -> [UInt8]? {
        guard sealed.count >= Self.overhead else { return nil }
        let nonce = (0..<AES256GCM.nonceCount).map { sealed[$0] }
        return try? AES256GCM.open(
            sealed.extracting(AES256GCM.nonceCount..<sealed.count),
            key: key,
            nonce: nonce,
            additionalData: purpose
        )
    }
}
