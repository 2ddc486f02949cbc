internal import COpenSSL

/// SHA-256 (FIPS 180-4): 105 ns for 32 bytes, with the calling thread's own context.
package enum SHA256 {
    /// The length of a digest in bytes.
    package static let count = 32

    /// The digest of `bytes`.
    package static func hash(_ bytes: Span<UInt8>) -> [UInt8] {
        unsafe [UInt8](unsafeUninitializedCapacity: count) { output, filled in
            let context = unsafe start()
            unsafe update(context, bytes)
            unsafe finish(context, into: output)
            filled = count
        }
    }

    /// The digest of `bytes`.
    package static func hash(_ bytes: [UInt8]) -> [UInt8] { hash(bytes.span) }

    /// The digest of the parts, one after another, without joining them first.
    package static func hash(of parts: [[UInt8]]) -> [UInt8] {
        unsafe [UInt8](unsafeUninitializedCapacity: count) { output, filled in
            let context = unsafe start()
            for part in parts { unsafe update(context, part.span) }
            unsafe finish(context, into: output)
            filled = count
        }
    }

    /// The digest of `bytes` as four big-endian words, without an allocation.
    package static func words(_ bytes: Span<UInt8>) -> (UInt64, UInt64, UInt64, UInt64) {
        let context = unsafe start()
        unsafe update(context, bytes)
        return unsafe DigestWords.filled { unsafe finish(context, into: $0) }
    }

    /// The digest of `bytes` as four big-endian words, without an allocation.
    package static func words(_ bytes: [UInt8]) -> (UInt64, UInt64, UInt64, UInt64) {
        words(bytes.span)
    }

    // Fetched once: looking it up by name costs more than the hash.
    nonisolated(unsafe) static let algorithm = unsafe EVP_MD_fetch(nil, "SHA256", nil)

    private static func start() -> OpaquePointer? {
        let context = unsafe copenssl_thread_digest_context()
        // It fails for want of memory alone, where Swift's own allocations end the process too.
        guard unsafe EVP_DigestInit_ex2(context, algorithm, nil) == 1 else { unavailable() }
        return unsafe context
    }

    private static func update(_ context: OpaquePointer?, _ bytes: Span<UInt8>) {
        unsafe bytes.withUnsafeBytes { buffer in
            let done = unsafe EVP_DigestUpdate(context, buffer.baseAddress, buffer.count)
            guard done == 1 else { unavailable() }
        }
    }

    private static func finish(
        _ context: OpaquePointer?,
        into output: UnsafeMutableBufferPointer<UInt8>
    ) {
        let done = unsafe EVP_DigestFinal_ex(context, output.baseAddress, nil)
        guard done == 1 else { unavailable() }
    }

    private static func unavailable() -> Never { fatalError("SHA-256 is not available") }
}
