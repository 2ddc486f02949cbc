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
        case .p256(let x, let y): unsafe copenssl_p256_key_like(generator, [4] + x + y)
        case .rsa(let modulus, let exponent): unsafe rsa(modulus, exponent)
        case .ed25519(let bytes):
            unsafe EVP_PKEY_new_raw_public_key_ex(nil, "ED25519", nil, bytes, bytes.count)
        }
    }

    /// The curve's generator as a key (FIPS 186-4 appendix D.1.2.3): what others are copied from.
    private nonisolated(unsafe) static let generator = unsafe copenssl_p256_key([
        0x04,  //
        0x6B, 0x17, 0xD1, 0xF2, 0xE1, 0x2C, 0x42, 0x47, 0xF8, 0xBC, 0xE6, 0xE5, 0x63, 0xA4, 0x40,
        0xF2, 0x77, 0x03, 0x7D, 0x81, 0x2D, 0xEB, 0x33, 0xA0, 0xF4, 0xA1, 0x39, 0x45, 0xD8, 0x98,
        0xC2, 0x96,  //
        0x4F, 0xE3, 0x42, 0xE2, 0xFE, 0x1A, 0x7F, 0x9B, 0x8E, 0xE7, 0xEB, 0x4A, 0x7C, 0x0F, 0x9E,
        0x16, 0x2B, 0xCE, 0x33, 0x57, 0x6B, 0x31, 0x5E, 0xCE, 0xCB, 0xB6, 0x40, 0x68, 0x37, 0xBF,
        0x51, 0xF5,
    ])

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
