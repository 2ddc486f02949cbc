import Runtime
import Testing

import Crypto

@Suite("Known answers") struct KnownAnswerTests {
    @Test(
        "SHA-256 of the FIPS 180-4 examples",
        arguments: [
            ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            (
                "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
                "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
            ),
        ]
    )
    func sha256(_ message: String, _ digest: String) {
        let bytes = Array(message.utf8)
        #expect(SHA256.hash(bytes) == hex(digest))
        let middle = bytes.count / 2
        #expect(SHA256.hash(of: [Array(bytes[..<middle]), Array(bytes[middle...])]) == hex(digest))
    }

    @Test("words are the same digest, big-endian") func words() throws {
        let words = SHA256.words(Array("abc".utf8))
        #expect(words.0 == 0xba78_16bf_8f01_cfea)
        #expect(words.3 == 0xb410_ff61_f200_15ad)
        #expect(try HMACKey(Secret(hex("4a656665"))).words([]).0 != 0)
        let key = try HMACKey(Secret([UInt8](repeating: 0x0b, count: 20)))
        #expect(key.words(Array("Hi There".utf8)).0 == 0xb034_4c61_d8db_3853)
    }

    @Test("SHA-512 of the FIPS 180-4 example") func sha512() {
        let digest = SHA512.hash(Array("abc".utf8))
        #expect(digest.prefix(8).elementsEqual(hex("ddaf35a193617aba")))
        #expect(digest.count == 64)
    }

    @Test(
        "HMAC-SHA256 of RFC 4231 section 4",
        arguments: [
            (
                "4a656665", "what do ya want for nothing?",
                "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
            ),
            (
                "0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b", "Hi There",
                "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
            ),
        ]
    )
    func hmac(_ key: String, _ message: String, _ tag: String) throws {
        let keyed = try HMACKey(Secret(hex(key)))
        #expect(keyed.tag(Array(message.utf8)) == hex(tag))
        #expect(keyed.tag(Array(message.utf8)) == hex(tag), "a used context gives the same")
        #expect(keyed.tag(Array(message.utf8) + [0]) != hex(tag))
    }

    @Test(
        "HKDF of RFC 5869 appendix A",
        arguments: [
            (
                "000102030405060708090a0b0c", "f0f1f2f3f4f5f6f7f8f9",
                "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf"
                    + "34007208d5b887185865"
            ),
            (
                "", "",
                "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d"
                    + "9d201395faa4b61a96c8"
            ),
        ]
    )
    func hkdf(_ salt: String, _ info: String, _ output: String) throws {
        let secret = Secret([UInt8](repeating: 0x0b, count: 22))
        let key = try HKDF.derive(from: secret, salt: hex(salt), info: hex(info), count: 42)
        #expect(equal(key, hex(output)))
    }

    @Test("scrypt of RFC 7914 section 12") func scrypt() throws {
        let key = try Scrypt.derive(
            from: Secret(Array("password".utf8)),
            salt: Array("NaCl".utf8),
            cost: Scrypt.Cost(n: 1024, r: 8, p: 16),
            count: 64
        )
        #expect(
            equal(
                key,
                hex(
                    """
                    fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b373162
                    2eaf30d92e22a3886ff109279d9830dac727afb94a83ee6d8360cbdfa2cc0640
                    """
                )
            )
        )
    }

    @Test("scrypt refuses a cost that is no power of two") func scryptCost() {
        #expect(throws: CryptoError.self) {
            try Scrypt.derive(
                from: Secret([1]),
                salt: [2],
                cost: Scrypt.Cost(n: 1000, r: 8, p: 1),
                count: 32
            )
        }
    }

    @Test("AES-256-GCM: test case 16 of the mode's specification") func gcm() throws {
        let key = Secret(hex(String(repeating: "feffe9928665731c6d6a8f9467308308", count: 2)))
        let nonce = hex("cafebabefacedbaddecaf888")
        let extra = hex("feedfacedeadbeeffeedfacedeadbeefabaddad2")
        let plain = hex(
            """
            d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72
            1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39
            """
        )
        let sealed = hex(
            """
            522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa
            8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662
            76fc6ece0f4e1768cddf8853bb2d551b
            """
        )
        #expect(
            try AES256GCM.seal(plain.span, key: key, nonce: nonce, additionalData: extra) == sealed
        )
        #expect(
            try AES256GCM.open(sealed.span, key: key, nonce: nonce, additionalData: extra) == plain
        )
    }
}
