internal import COpenSSL
package import Runtime

/// AES-256-GCM (NIST SP 800-38D) with 12-byte nonces and 16-byte tags.
package enum AES256GCM {
    /// The length of a key in bytes.
    package static let keyCount = 32
    /// The length of a nonce in bytes; one that repeats under a key gives the key stream away.
    package static let nonceCount = 12
    /// The length of a tag in bytes.
    package static let tagCount = 16
    /// The most bytes one call takes.
    package static let messageBytesMax = 1 << 30

    /// Encrypts: the ciphertext followed by the tag.
    ///
    /// - Throws: `.wrongLength` for another length of key or nonce, or a message over 1 GiB.
    package static func seal(
        _ plaintext: Span<UInt8>,
        key: Secret,
        nonce: [UInt8],
        additionalData: [UInt8]
    ) throws(CryptoError) -> [UInt8] {
        try check(key, nonce, plaintext.count, additionalData.count)
        var output = [UInt8](repeating: 0, count: plaintext.count)
        var tag = [UInt8](repeating: 0, count: tagCount)
        let done = key.withBytes { key in
            let use = Use(encrypts: true, nonce: nonce, additionalData: additionalData)
            return transform(plaintext, use, key, into: &output, tag: &tag)
        }
        guard done else { throw .fromLibrary() }
        return output + tag
    }

    /// Decrypts what `seal` made, and proves it.
    ///
    /// - Throws: `.notAuthentic` unless key, nonce, additional data and every byte are those of
    ///   the seal; `.wrongLength` as `seal`, and for less than a tag.
    package static func open(
        _ sealed: Span<UInt8>,
        key: Secret,
        nonce: [UInt8],
        additionalData: [UInt8]
    ) throws(CryptoError) -> [UInt8] {
        try check(key, nonce, sealed.count, additionalData.count)
        let size = sealed.count - tagCount
        guard size >= 0 else { throw .wrongLength }
        var output = [UInt8](repeating: 0, count: size)
        var tag = (size..<sealed.count).map { sealed[$0] }
        let done = key.withBytes { key in
            let use = Use(encrypts: false, nonce: nonce, additionalData: additionalData)
            return transform(sealed.extracting(0..<size), use, key, into: &output, tag: &tag)
        }
        guard done else {
            ERR_clear_error()  // As `CryptoError.fromLibrary` does, and for its reason.
            throw .notAuthentic
        }
        return output
    }

    private struct Use {
        var encrypts: Bool
        var nonce: [UInt8]
        var additionalData: [UInt8]
    }

    nonisolated(unsafe) private static let cipher = unsafe EVP_CIPHER_fetch(nil, "AES-256-GCM", nil)

    private static func check(
        _ key: Secret,
        _ nonce: [UInt8],
        _ message: Int,
        _ additional: Int
    ) throws(CryptoError) {
        guard key.count == keyCount, nonce.count == nonceCount, message <= messageBytesMax,
            additional <= messageBytesMax
        else { throw .wrongLength }
    }

    private static func transform(
        _ input: Span<UInt8>,
        _ use: Use,
        _ key: Span<UInt8>,
        into output: inout [UInt8],
        tag: inout [UInt8]
    ) -> Bool {
        guard let context = unsafe EVP_CIPHER_CTX_new() else { return false }
        defer { unsafe EVP_CIPHER_CTX_free(context) }
        let size = Int32(tagCount)
        var written: Int32 = 0
        guard unsafe start(context, use, key) else { return false }
        let extra = use.additionalData
        guard unsafe EVP_CipherUpdate(context, nil, &written, extra, Int32(extra.count)) == 1
        else { return false }
        if !use.encrypts {
            guard unsafe EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, size, &tag) == 1
            else { return false }
        }
        let body = unsafe input.withUnsafeBufferPointer { input in
            // A null output would be taken for additional data.
            let count = Int32(input.count)
            return unsafe count == 0
                || EVP_CipherUpdate(context, &output, &written, input.baseAddress, count) == 1
        }
        var rest = [UInt8](repeating: 0, count: 16)
        guard body, unsafe EVP_CipherFinal_ex(context, &rest, &written) == 1 else { return false }
        return unsafe !use.encrypts
            || EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, size, &tag) == 1
    }

    private static func start(_ context: OpaquePointer, _ use: Use, _ key: Span<UInt8>) -> Bool {
        let direction: Int32 = use.encrypts ? 1 : 0
        return unsafe key.withUnsafeBufferPointer { key in
            let (key, nonce) = (key.baseAddress, use.nonce)
            return unsafe EVP_CipherInit_ex2(context, cipher, key, nonce, direction, nil) == 1
        }
    }
}
