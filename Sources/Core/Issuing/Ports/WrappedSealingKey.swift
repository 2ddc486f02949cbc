package import Domain

/// One row: a subject's key under the key encryption key.
package struct WrappedSealingKey: Hashable, Sendable {
    package var id: StreamID
    package var project: ProjectNumber
    /// Which key encryption key wrapped it.
    package var kekVersion: Int32
    /// Version, nonce, ciphertext and tag, 61 bytes; nil once destroyed.
    package var wrapped: [UInt8]?
    /// HMAC by the key itself, 32 bytes: another key never opens what this one sealed.
    package var commitment: [UInt8]

    package init(
        id: StreamID,
        project: ProjectNumber,
        kekVersion: Int32,
        wrapped: [UInt8]?,
        commitment: [UInt8]
    ) {
        self.id = id
        self.project = project
        self.kekVersion = kekVersion
        self.wrapped = wrapped
        self.commitment = commitment
    }
}
