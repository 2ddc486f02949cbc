package import Runtime

/// Derives keys from a secret of full entropy: HKDF with SHA-256 (RFC 5869).
package enum HKDF {
    /// The most bytes one derivation gives: 255 blocks (RFC 5869 section 2.3).
    package static let outputBytesMax = 255 * 32

    /// Extracts with `salt` and expands to `count` bytes bound to `info`.
    ///
    /// - Throws: `.wrongLength` for an empty secret or a `count` outside 1–8,160.
    package static func derive(
        from secret: Secret,
        salt: [UInt8] = [],
        info: [UInt8],
        count: Int
    ) throws(CryptoError) -> Secret {
        guard secret.count > 0, 1...outputBytesMax ~= count else { throw .wrongLength }
        let zeros = [UInt8](repeating: 0, count: SHA256.count)
        let extractor = try HMACKey(Secret(salt.isEmpty ? zeros : salt))
        var pseudorandomKey = secret.withBytes { extractor.tag($0) }
        let expander = try HMACKey(Secret(wiping: &pseudorandomKey))
        var output: [UInt8] = []
        var block: [UInt8] = []
        var counter: UInt8 = 0
        while output.count < count {
            counter += 1
            block = expander.tag(block + info + [counter])
            output += block
        }
        output.removeLast(output.count - count)
        return Secret(wiping: &output)
    }
}
