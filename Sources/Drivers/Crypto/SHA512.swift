internal import COpenSSL

/// SHA-512 (FIPS 180-4), for `at_hash` beside EdDSA.
package enum SHA512 {
    /// The 64-byte digest of `bytes`.
    package static func hash(_ bytes: [UInt8]) -> [UInt8] {
        var output = [UInt8](repeating: 0, count: 64)
        let count = bytes.count
        guard unsafe EVP_Digest(bytes, count, &output, nil, EVP_sha512(), nil) == 1 else {
            fatalError("SHA-512 is not available")
        }
        return output
    }
}
