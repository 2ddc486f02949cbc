internal import COpenSSL

/// Makes the records of a client of TLS 1.3 by hand, for what no library sends (RFC 8446 §5.2).
struct TLSRecordKey {
    /// What a record holds.
    enum Kind: UInt8 { case alert = 21, handshake, data }

    /// The only one it knows.
    static let suite = "TLS_AES_128_GCM_SHA256"

    private let key: [UInt8]
    private let nonce: [UInt8]
    private var sent: UInt8 = 0

    /// Reads `CLIENT_TRAFFIC_SECRET_0 <random> <secret>`; nil when the line is another one.
    init?(keyLogLine line: String) {
        let words = line.split(separator: " ")
        guard words.count == 3, words[0] == "CLIENT_TRAFFIC_SECRET_0" else { return nil }
        let digits = Array(words[2])
        let secret = stride(from: 0, to: digits.count - 1, by: 2).compactMap { index in
            UInt8(String(digits[index...index + 1]), radix: 16)
        }
        key = Self.expand(secret, "key", 16)
        nonce = Self.expand(secret, "iv", 12)
    }

    /// The next record, with `bytes` in it.
    mutating func seal(_ bytes: [UInt8], as kind: Kind) -> [UInt8] {
        let inner = bytes + [kind.rawValue]
        let count = inner.count + 16
        let header = [23, 3, 3, UInt8(count >> 8), UInt8(count & 0xFF)]
        var nonce = nonce
        nonce[11] ^= sent
        sent += 1
        guard let context = unsafe EVP_CIPHER_CTX_new() else { return [] }
        defer { unsafe EVP_CIPHER_CTX_free(context) }
        var sealed = [UInt8](repeating: 0, count: inner.count)
        var tag = [UInt8](repeating: 0, count: 16)
        var written: Int32 = 0
        unsafe EVP_EncryptInit_ex(context, EVP_aes_128_gcm(), nil, key, nonce)
        unsafe EVP_EncryptUpdate(context, nil, &written, header, Int32(header.count))
        unsafe EVP_EncryptUpdate(context, &sealed, &written, inner, Int32(inner.count))
        unsafe EVP_EncryptFinal_ex(context, &tag, &written)
        unsafe EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, 16, &tag)
        return header + sealed + tag
    }

    /// HKDF-Expand-Label (RFC 8446 §7.1), of which one block is enough here.
    private static func expand(_ secret: [UInt8], _ label: String, _ count: Int) -> [UInt8] {
        let name = Array("tls13 \(label)".utf8)
        let info = [0, UInt8(count), UInt8(name.count)] + name + [0, 1]
        var block = [UInt8](repeating: 0, count: 32)
        var length = 0
        unsafe EVP_Q_mac(
            nil,
            "HMAC",
            nil,
            "SHA256",
            nil,
            secret,
            secret.count,
            info,
            info.count,
            &block,
            32,
            &length
        )
        return Array(block.prefix(count))
    }
}
