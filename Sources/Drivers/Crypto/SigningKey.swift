internal import COpenSSL
package import Runtime

/// A private key that signs with one algorithm.
///
/// Used from any thread; each use borrows a context of its own.
@safe package final class SigningKey: Sendable {
    /// The public half.
    package let publicKey: PublicKey
    /// What it signs with.
    package var algorithm: SignatureAlgorithm { handle.algorithm }

    private let handle: KeyHandle
    private let pool: ContextPool
    private let signatureBytesMax: Int

    /// Makes a key; `rsaBits` counts for RSA alone.
    ///
    /// RSA takes 0.1–2 s: call it on a thread that may block.
    /// - Throws: `.unacceptableKey` for `rsaBits` outside 2048–4096; `.library`.
    package static func generate(
        _ algorithm: SignatureAlgorithm,
        rsaBits: Int = 2048
    ) throws(CryptoError) -> SigningKey {
        guard 2048...4096 ~= rsaBits else { throw .unacceptableKey }
        guard let pointer = unsafe PrivateKeyCodec.generate(algorithm, rsaBits: rsaBits) else {
            throw .fromLibrary()
        }
        return try SigningKey(unsafe KeyHandle(pointer, algorithm))
    }

    /// Loads a key from its PKCS #8 DER form (RFC 5958), unencrypted.
    ///
    /// - Throws: `.malformedKey`, also for trailing bytes; `.wrongAlgorithm`;
    ///   `.unacceptableKey` as `VerificationKey`.
    package convenience init(
        pkcs8: Secret,
        for algorithm: SignatureAlgorithm
    ) throws(CryptoError) {
        guard let pointer = unsafe PrivateKeyCodec.load(pkcs8) else {
            ERR_clear_error()
            throw .malformedKey
        }
        try self.init(unsafe KeyHandle(pointer, algorithm))
    }

    private init(_ handle: KeyHandle) throws(CryptoError) {
        guard let publicKey = unsafe PrivateKeyCodec.publicKey(of: handle.pointer) else {
            throw .unacceptableKey
        }
        guard publicKey.serves(handle.algorithm) else { throw .wrongAlgorithm }
        try publicKey.checked()
        self.handle = handle
        self.publicKey = publicKey
        signatureBytesMax = Int(unsafe EVP_PKEY_get_size(handle.pointer))
        unsafe pool = ContextPool(
            make: { unsafe handle.context(verifies: false) },
            free: { unsafe EVP_PKEY_CTX_free($0) }
        )
    }

    /// The PKCS #8 DER form, unencrypted: for a sealed file and nothing else.
    package func pkcs8() throws(CryptoError) -> Secret {
        guard let secret = unsafe PrivateKeyCodec.pkcs8(of: handle.pointer) else {
            throw .fromLibrary()
        }
        return secret
    }

    /// Signs `message`, in the form JWTs carry: ES256 19.5 µs, EdDSA 40 µs, RS256-2048 242 µs.
    ///
    /// - Throws: `.library` when OpenSSL refuses.
    package func sign(_ message: Span<UInt8>) throws(CryptoError) -> [UInt8] {
        switch algorithm {
        case .es256:
            let der = try sign(digest: SHA256.hash(message))
            guard let raw = ECDSASignature.raw(fromDER: der[...]) else { throw .fromLibrary() }
            return raw
        case .rs256, .ps256: return try sign(digest: SHA256.hash(message))
        case .edDSA: return try signWhole(message)
        }
    }

    /// Signs `message`, in the form JWTs carry.
    package func sign(_ message: [UInt8]) throws(CryptoError) -> [UInt8] { try sign(message.span) }

    private func sign(digest: [UInt8]) throws(CryptoError) -> [UInt8] {
        let size = signatureBytesMax
        let signature: [UInt8] = unsafe [UInt8](unsafeUninitializedCapacity: size) {
            output,
            filled in
            var count = size
            let start = output.baseAddress
            let answer = unsafe pool.withContext { context in
                unsafe EVP_PKEY_sign(context, start, &count, digest, digest.count)
            }
            filled = answer == 1 ? count : 0
        }
        guard !signature.isEmpty else { throw .fromLibrary() }
        return signature
    }

    // Ed25519 hashes by itself, and its context does not outlive a message.
    private func signWhole(_ message: Span<UInt8>) throws(CryptoError) -> [UInt8] {
        guard let context = unsafe EVP_MD_CTX_new() else { throw .fromLibrary() }
        defer { unsafe EVP_MD_CTX_free(context) }
        var signature = [UInt8](repeating: 0, count: 64)
        var count = 64
        guard unsafe EVP_DigestSignInit_ex(context, nil, nil, nil, nil, handle.pointer, nil) == 1
        else { throw .fromLibrary() }
        let answer = unsafe message.withUnsafeBufferPointer { message in
            let start = message.baseAddress
            return unsafe EVP_DigestSign(context, &signature, &count, start, message.count)
        }
        guard answer == 1, count == 64 else { throw .fromLibrary() }
        return signature
    }
}
