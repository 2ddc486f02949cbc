import Runtime
import Testing

import Crypto

@Suite("AES-256-GCM") struct AES256GCMTests {
    let key = SecureRandom.secret(32)
    let nonce = SecureRandom.bytes(12)

    @Test("opens what it sealed, also nothing at all", arguments: [0, 1, 15, 16, 17, 4096])
    func roundTrip(_ count: Int) throws {
        let plain = SecureRandom.bytes(count)
        let sealed = try AES256GCM.seal(plain.span, key: key, nonce: nonce, additionalData: [7])
        #expect(sealed.count == count + AES256GCM.tagCount)
        let opened = try AES256GCM.open(sealed.span, key: key, nonce: nonce, additionalData: [7])
        #expect(opened == plain)
    }

    @Test("refuses every changed bit, other data, nonce and key") func tampered() throws {
        let sealed = try AES256GCM.seal([1, 2, 3].span, key: key, nonce: nonce, additionalData: [])
        for index in sealed.indices {
            var changed = sealed
            changed[index] ^= 0x10
            #expect(throws: CryptoError.notAuthentic) {
                try AES256GCM.open(changed.span, key: key, nonce: nonce, additionalData: [])
            }
        }
        #expect(throws: CryptoError.notAuthentic) {
            try AES256GCM.open(sealed.span, key: key, nonce: nonce, additionalData: [0])
        }
        #expect(throws: CryptoError.notAuthentic) {
            let other = SecureRandom.secret(32)
            _ = try AES256GCM.open(sealed.span, key: other, nonce: nonce, additionalData: [])
        }
        #expect(throws: CryptoError.notAuthentic) {
            let other = SecureRandom.bytes(12)
            _ = try AES256GCM.open(sealed.span, key: key, nonce: other, additionalData: [])
        }
    }

    @Test("refuses other lengths of key, nonce and message") func lengths() {
        #expect(throws: CryptoError.wrongLength) {
            let short = SecureRandom.secret(16)
            _ = try AES256GCM.seal([1].span, key: short, nonce: nonce, additionalData: [])
        }
        #expect(throws: CryptoError.wrongLength) {
            let long = SecureRandom.bytes(16)
            _ = try AES256GCM.seal([1].span, key: key, nonce: long, additionalData: [])
        }
        #expect(throws: CryptoError.wrongLength) {
            let stub = SecureRandom.bytes(15)
            _ = try AES256GCM.open(stub.span, key: key, nonce: nonce, additionalData: [])
        }
    }
}
