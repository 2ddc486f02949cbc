internal import COpenSSL
package import Runtime

/// A keyed HMAC-SHA256 (RFC 2104), to be kept and shared: keying costs more than a short message.
///
/// Used from any thread; each use borrows a context of its own.
@safe package final class HMACKey: Sendable {
    private let pool: ContextPool

    /// Keys it with `secret`, which must not be empty.
    ///
    /// - Throws: `.wrongLength` for an empty key, `.library` when OpenSSL refuses.
    package init(_ secret: Secret) throws(CryptoError) {
        guard secret.count > 0 else { throw .wrongLength }
        let keyed = unsafe Self.context(keyedWith: secret)
        guard let keyed = unsafe keyed else { throw .fromLibrary() }
        let template = unsafe Template(keyed)
        unsafe pool = ContextPool(
            make: { unsafe EVP_MAC_CTX_dup(template.context) },
            free: { unsafe EVP_MAC_CTX_free($0) }
        )
    }

    /// Derives the key from a root secret by HKDF with `info`; `root` must not be empty.
    package convenience init(derivedFrom root: Secret, info: [UInt8]) {
        precondition(root.count > 0, "a root secret is not empty")
        do {
            try self.init(HKDF.derive(from: root, info: info, count: SHA256.count))
        } catch {
            // The lengths are right; what is left is want of memory, which ends the process.
            fatalError("HKDF is not available")
        }
    }

    /// The 32-byte tag of `bytes` by a key that is used this once.
    ///
    /// - Throws: `.wrongLength` for an empty key, `.library` when OpenSSL refuses.
    package static func tag(
        of bytes: [UInt8],
        keyedWith secret: Secret
    ) throws(CryptoError) -> [UInt8] {
        guard secret.count > 0 else { throw .wrongLength }
        guard let context = unsafe context(keyedWith: secret) else { throw .fromLibrary() }
        defer { unsafe EVP_MAC_CTX_free(context) }
        var isDone = false
        let tag = unsafe [UInt8](unsafeUninitializedCapacity: SHA256.count) { output, filled in
            isDone = unsafe finish(context, bytes.span, into: output)
            filled = isDone ? SHA256.count : 0
        }
        guard isDone else { throw .fromLibrary() }
        return tag
    }

    /// The 32-byte tag of `bytes`.
    package func tag(_ bytes: Span<UInt8>) -> [UInt8] {
        unsafe [UInt8](unsafeUninitializedCapacity: SHA256.count) { output, filled in
            unsafe write(bytes, into: output)
            filled = SHA256.count
        }
    }

    /// The tag of `bytes` as four big-endian words, without an allocation.
    package func words(_ bytes: [UInt8]) -> (UInt64, UInt64, UInt64, UInt64) {
        unsafe DigestWords.filled { unsafe write(bytes.span, into: $0) }
    }

    /// The 32-byte tag of `bytes`.
    package func tag(_ bytes: [UInt8]) -> [UInt8] { tag(bytes.span) }

    private func write(_ bytes: Span<UInt8>, into output: UnsafeMutableBufferPointer<UInt8>) {
        let done = unsafe pool.withContext { context in
            unsafe EVP_MAC_init(context, nil, 0, nil) == 1
                && Self.finish(context, bytes, into: output)
        }
        // It fails for want of memory alone, where Swift's own allocations end the process too.
        guard done == true else { fatalError("HMAC-SHA256 is not available") }
    }

    /// Of a keyed context that nothing was put into yet.
    private static func finish(
        _ context: OpaquePointer,
        _ bytes: Span<UInt8>,
        into output: UnsafeMutableBufferPointer<UInt8>
    ) -> Bool {
        var written = 0
        return unsafe bytes.withUnsafeBufferPointer { buffer in
            unsafe EVP_MAC_update(context, buffer.baseAddress, buffer.count) == 1
        } && EVP_MAC_final(context, output.baseAddress, &written, SHA256.count) == 1
    }

    // Fetched once, as SHA-256 is.
    nonisolated(unsafe) private static let algorithm = unsafe EVP_MAC_fetch(nil, "HMAC", nil)

    private static func context(keyedWith secret: Secret) -> OpaquePointer? {
        guard let context = unsafe EVP_MAC_CTX_new(algorithm) else { return nil }
        let keyed = unsafe withParameter("digest", "SHA256") { parameters in
            secret.withBytes { key in
                unsafe key.withUnsafeBufferPointer { key in
                    unsafe EVP_MAC_init(context, key.baseAddress, key.count, parameters)
                }
            }
        }
        guard keyed == 1 else {
            unsafe EVP_MAC_CTX_free(context)
            return nil
        }
        return unsafe context
    }

    /// Both texts must be there as long as the parameter is: it holds their addresses.
    private static func withParameter<Result>(
        _ name: String,
        _ value: String,
        _ body: (UnsafePointer<OSSL_PARAM>) -> Result
    ) -> Result {
        var value = Array(value.utf8CString)
        return unsafe name.withCString { name in
            unsafe value.withUnsafeMutableBufferPointer { value in
                unsafe body([
                    OSSL_PARAM_construct_utf8_string(name, value.baseAddress, 0),
                    OSSL_PARAM_construct_end(),
                ])
            }
        }
    }

    // @unchecked: only ever copied from, which OpenSSL allows from any thread.
    /// The keyed context the pool's are copies of.
    @safe private final class Template: @unchecked Sendable {
        let context: OpaquePointer

        init(_ context: OpaquePointer) { unsafe self.context = context }

        deinit { unsafe EVP_MAC_CTX_free(context) }
    }
}
