internal import COpenSSL
internal import Runtime

/// Makes private keys, and moves them in and out of PKCS #8; nil means OpenSSL refused.
enum PrivateKeyCodec {
    static func generate(_ algorithm: SignatureAlgorithm, rsaBits: Int) -> OpaquePointer? {
        let kind =
            switch algorithm {
            case .es256: "EC"
            case .rs256, .ps256: "RSA"
            case .edDSA: "ED25519"
            }
        guard let context = unsafe EVP_PKEY_CTX_new_from_name(nil, kind, nil) else { return nil }
        defer { unsafe EVP_PKEY_CTX_free(context) }
        guard unsafe EVP_PKEY_keygen_init(context) == 1 else { return nil }
        let configured =
            switch algorithm {
            case .es256: unsafe EVP_PKEY_CTX_set_group_name(context, "P-256") == 1
            case .rs256, .ps256:
                unsafe EVP_PKEY_CTX_set_rsa_keygen_bits(context, Int32(rsaBits)) == 1
            case .edDSA: true
            }
        var key: OpaquePointer?
        guard configured, unsafe EVP_PKEY_generate(context, &key) == 1 else { return nil }
        return unsafe key
    }

    static func load(_ pkcs8: Secret) -> OpaquePointer? {
        unsafe pkcs8.withBytes { bytes in
            unsafe bytes.withUnsafeBufferPointer { bytes in
                var cursor = bytes.baseAddress
                let end = unsafe bytes.baseAddress?.advanced(by: bytes.count)
                let info = unsafe d2i_PKCS8_PRIV_KEY_INFO(nil, &cursor, bytes.count)
                defer { unsafe PKCS8_PRIV_KEY_INFO_free(info) }
                guard unsafe info != nil, unsafe cursor == end else { return nil }
                return unsafe EVP_PKCS82PKEY_ex(info, nil, nil)
            }
        }
    }

    static func pkcs8(of key: OpaquePointer) -> Secret? {
        guard let info = unsafe EVP_PKEY2PKCS8(key) else { return nil }
        defer { unsafe PKCS8_PRIV_KEY_INFO_free(info) }
        var start: UnsafeMutablePointer<UInt8>?
        let count = unsafe i2d_PKCS8_PRIV_KEY_INFO(info, &start)
        guard count > 0, let start = unsafe start else { return nil }
        defer { unsafe copenssl_clear_free(start, Int(count)) }
        let bytes = unsafe UnsafeBufferPointer(start: start, count: Int(count))
        return Secret(copying: unsafe bytes.span)
    }

    static func publicKey(of key: OpaquePointer) -> PublicKey? {
        switch unsafe EVP_PKEY_get_base_id(key) {
        case EVP_PKEY_EC:
            guard let point = unsafe octets("pub", of: key, atMost: 65), point.count == 65,
                point[0] == 4, unsafe isOnP256(key)
            else { return nil }
            return .p256(x: Array(point[1..<33]), y: Array(point[33..<65]))
        case EVP_PKEY_RSA:
            guard let modulus = unsafe number("n", of: key),
                let exponent = unsafe number("e", of: key)
            else { return nil }
            return .rsa(modulus: modulus, exponent: exponent)
        case EVP_PKEY_ED25519:
            guard let point = unsafe octets("pub", of: key, atMost: 32) else { return nil }
            return .ed25519(point)
        default: return nil
        }
    }

    private static func isOnP256(_ key: OpaquePointer) -> Bool {
        var name = [CChar](repeating: 0, count: 32)
        var count = 0
        guard unsafe EVP_PKEY_get_group_name(key, &name, name.count, &count) == 1 else {
            return false
        }
        return name.prefix(count).elementsEqual("prime256v1".utf8.lazy.map { CChar($0) })
    }

    private static func octets(_ name: String, of key: OpaquePointer, atMost: Int) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: atMost)
        var count = 0
        let found = unsafe EVP_PKEY_get_octet_string_param(key, name, &bytes, atMost, &count)
        return found == 1 ? Array(bytes.prefix(count)) : nil
    }

    private static func number(_ name: String, of key: OpaquePointer) -> [UInt8]? {
        var number: OpaquePointer?
        guard unsafe EVP_PKEY_get_bn_param(key, name, &number) == 1 else { return nil }
        defer { unsafe BN_free(number) }
        var bytes = [UInt8](repeating: 0, count: (Int(unsafe BN_num_bits(number)) + 7) / 8)
        let count = unsafe BN_bn2bin(number, &bytes)
        return Int(count) == bytes.count ? bytes : nil
    }
}
