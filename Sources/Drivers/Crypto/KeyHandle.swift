internal import COpenSSL

// @unchecked: never written after `init`; OpenSSL counts references and reads keys from any thread.
/// One `EVP_PKEY` and what it may sign or verify.
@safe final class KeyHandle: @unchecked Sendable {
    let pointer: OpaquePointer
    let algorithm: SignatureAlgorithm

    /// Takes `pointer` over.
    init(_ pointer: OpaquePointer, _ algorithm: SignatureAlgorithm) {
        unsafe self.pointer = pointer
        self.algorithm = algorithm
    }

    /// Loads a public key.
    ///
    /// - Throws: `.malformedKey`, `.unacceptableKey` also for a point off the curve,
    ///   `.wrongAlgorithm`.
    static func load(
        _ key: PublicKey,
        for algorithm: SignatureAlgorithm
    ) throws(CryptoError) -> KeyHandle {
        guard key.serves(algorithm) else { throw .wrongAlgorithm }
        try key.checked()
        guard let pointer = unsafe load(key) else {
            ERR_clear_error()
            throw .unacceptableKey
        }
        return unsafe KeyHandle(pointer, algorithm)
    }

    /// A context ready to sign or verify digests, with the algorithm's padding; nil on failure.
    func context(verifies: Bool) -> OpaquePointer? {
        guard let context = unsafe EVP_PKEY_CTX_new_from_pkey(nil, pointer, nil) else { return nil }
        let started =
            unsafe verifies
            ? EVP_PKEY_verify_init(context) == 1 : EVP_PKEY_sign_init(context) == 1
        guard started, unsafe setPadding(context) else {
            unsafe EVP_PKEY_CTX_free(context)
            return nil
        }
        return unsafe context
    }

    private func setPadding(_ context: OpaquePointer) -> Bool {
        switch algorithm {
        case .es256, .edDSA: true
        case .rs256:
            unsafe EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_PADDING) == 1
                && EVP_PKEY_CTX_set_signature_md(context, SHA256.algorithm) == 1
        case .ps256:
            unsafe EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_PSS_PADDING) == 1
                && EVP_PKEY_CTX_set_signature_md(context, SHA256.algorithm) == 1
                && EVP_PKEY_CTX_set_rsa_mgf1_md(context, SHA256.algorithm) == 1
                && EVP_PKEY_CTX_set_rsa_pss_saltlen(context, RSA_PSS_SALTLEN_DIGEST) == 1
        }
    }

    private static func load(_ key: PublicKey) -> OpaquePointer? {
        switch key {
        case .p256(let x, let y): unsafe copenssl_p256_key([4] + x + y)
        case .rsa(let modulus, let exponent): unsafe rsa(modulus, exponent)
        case .ed25519(let bytes):
            unsafe EVP_PKEY_new_raw_public_key_ex(nil, "ED25519", nil, bytes, bytes.count)
        }
    }

    private static func rsa(_ modulus: [UInt8], _ exponent: [UInt8]) -> OpaquePointer? {
        let n = unsafe BN_bin2bn(modulus, Int32(modulus.count), nil)
        let e = unsafe BN_bin2bn(exponent, Int32(exponent.count), nil)
        defer {
            unsafe BN_free(n)
            unsafe BN_free(e)
        }
        return unsafe n == nil || e == nil ? nil : copenssl_rsa_key(n, e)
    }

    deinit { unsafe EVP_PKEY_free(pointer) }
}
