/// A personal value under its subject's key (Events 5): version, nonce, ciphertext, tag.
///
/// Only the holder of the key reads it; when the key is destroyed nobody does.
package struct Sealed: Hashable, Sendable {
    package let bytes: [UInt8]

    package init(bytes: [UInt8]) { self.bytes = bytes }
}
