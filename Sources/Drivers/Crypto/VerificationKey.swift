internal import COpenSSL

/// A public key that checks signatures of one algorithm: the stored key fixes it, never the token.
///
/// Used from any thread; each use borrows a context of its own.
@safe package final class VerificationKey: Sendable {
    /// The public half, as its JWK says it.
    package let publicKey: PublicKey
    /// What it checks.
    package var algorithm: SignatureAlgorithm { handle.algorithm }

    private let handle: KeyHandle
    private let pool: ContextPool

    /// Loads `key` for `algorithm`.
    ///
    /// - Throws: `.malformedKey` for wrong lengths or leading zeros; `.unacceptableKey` for a
    ///   point off the curve, RSA outside 2048–4096 bits, or an exponent even or outside
    ///   3…2^32−1; `.wrongAlgorithm` when they do not belong together.
    package init(_ key: PublicKey, for algorithm: SignatureAlgorithm) throws(CryptoError) {
        let handle = try KeyHandle.load(key, for: algorithm)
        self.handle = handle
        publicKey = key
        unsafe pool = ContextPool(
            make: { unsafe handle.context(verifies: true) },
            free: { unsafe EVP_PKEY_CTX_free($0) }
        )
    }

    /// Whether `signature`, in the form JWTs carry, is one of `message` by this key.
    package func accepts(_ signature: [UInt8], of message: Span<UInt8>) -> Bool {
        let valid =
            switch algorithm {
            case .es256:
                if let der = ECDSASignature.der(fromRaw: signature) {
                    accepts(der, ofDigest: SHA256.hash(message))
                } else {
                    false
                }
            case .rs256, .ps256: accepts(signature, ofDigest: SHA256.hash(message))
            case .edDSA: acceptsWhole(signature, of: message)
            }
        // A stale error would be blamed on the next TLS connection of this thread.
        if !valid { ERR_clear_error() }
        return valid
    }

    /// Whether `signature`, in the form JWTs carry, is one of `message` by this key.
    package func accepts(_ signature: [UInt8], of message: [UInt8]) -> Bool {
        accepts(signature, of: message.span)
    }

    private func accepts(_ signature: [UInt8], ofDigest digest: [UInt8]) -> Bool {
        let answer = unsafe pool.withContext { context in
            unsafe EVP_PKEY_verify(context, signature, signature.count, digest, digest.count)
        }
        return answer == 1
    }

    // Ed25519 hashes by itself, and its context does not outlive a message.
    private func acceptsWhole(_ signature: [UInt8], of message: Span<UInt8>) -> Bool {
        guard signature.count == 64, let context = unsafe EVP_MD_CTX_new() else { return false }
        defer { unsafe EVP_MD_CTX_free(context) }
        guard unsafe EVP_DigestVerifyInit_ex(context, nil, nil, nil, nil, handle.pointer, nil) == 1
        else { return false }
        return unsafe message.withUnsafeBufferPointer { message in
            let (start, count) = (message.baseAddress, message.count)
            return unsafe EVP_DigestVerify(context, signature, 64, start, count) == 1
        }
    }
}
