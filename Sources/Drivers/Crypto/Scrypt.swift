internal import COpenSSL
package import Runtime

/// Derives a key from a passphrase, slowly on purpose (RFC 7914).
package enum Scrypt {
    /// What one guess costs: `n` a power of two, memory 128 · n · r bytes.
    package struct Cost: Hashable, Sendable {
        /// The CPU and memory cost.
        package var n: UInt64
        /// The block size.
        package var r: UInt64
        /// The parallelisation.
        package var p: UInt64

        /// Any cost; `derive` refuses what needs more than 256 MiB.
        package init(n: UInt64, r: UInt64, p: UInt64) {
            self.n = n
            self.r = r
            self.p = p
        }

        /// For key files: 128 MiB and about 0.3 s (Security 5).
        package static var keyFile: Cost { Cost(n: 1 << 17, r: 8, p: 1) }
    }

    /// The most memory a derivation may take, in bytes.
    package static let memoryBytesMax: UInt64 = 256 * 1024 * 1024

    /// Derives `count` bytes; call it on a thread that may block.
    ///
    /// - Throws: `.library` for a cost that is no power of two or too large.
    package static func derive(
        from passphrase: Secret,
        salt: [UInt8],
        cost: Cost,
        count: Int
    ) throws(CryptoError) -> Secret {
        guard 1...1024 ~= count else { throw .wrongLength }
        var output = [UInt8](repeating: 0, count: count)
        let done = passphrase.withBytes { passphrase in
            unsafe passphrase.withUnsafeBytes { passphrase in
                unsafe EVP_PBE_scrypt(
                    passphrase.baseAddress?.assumingMemoryBound(to: CChar.self),
                    passphrase.count,
                    salt,
                    salt.count,
                    cost.n,
                    cost.r,
                    cost.p,
                    memoryBytesMax,
                    &output,
                    count
                )
            }
        }
        guard done == 1 else { throw .fromLibrary() }
        return Secret(wiping: &output)
    }
}
