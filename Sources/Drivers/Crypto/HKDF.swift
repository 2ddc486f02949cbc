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
        // No room is given back before it is wiped: it would keep what was derived.
        var output: [UInt8] = []
        output.reserveCapacity(count)
        var block = Secret([])
        var counter: UInt8 = 0
        while output.count < count {
            counter += 1
            var input: [UInt8] = []
            input.reserveCapacity(SHA256.count + info.count + 1)
            block.withBytes { span in for index in span.indices { input.append(span[index]) } }
            input += info
            input.append(counter)
            var tag = Secret(wiping: &input).withBytes { expander.tag($0) }
            output += tag.prefix(count - output.count)
            block = Secret(wiping: &tag)
        }
        return Secret(wiping: &output)
    }
}
