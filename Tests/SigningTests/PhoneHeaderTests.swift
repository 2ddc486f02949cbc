import Crypto
import Issuing
import OAuth
import Signing
import Testing

/// A reader remembers the headers that phones send again and again.
@Suite("Headers of phones' JWTs that are known") struct PhoneHeaderTests {
    private typealias Rows = PhoneJWTReaderTests

    @Test("a header that is known helps nobody: kind, rest and signature count each time")
    func known() throws {
        let reader = PhoneJWTReader()
        let key = try #require(Rows.key)
        let text = try Rows.jwt(#"{\#(Rows.start),"kid":"abcdefgh","jwk":{JWK}}"#, key)
        let first = try reader.open(text, as: .app2app)
        let again = try reader.open(text, as: .app2app)
        #expect(again.key == first.key && again.keyID == "abcdefgh" && again.algorithm == "ES256")
        #expect(again.signed == first.signed && again.signature == first.signature)
        for kind in [ClientJWT.Kind.biometric, .dpop] {
            #expect(throws: ClientJWT.Malformed.type) { try reader.open(text, as: kind) }
        }
        let dot = try #require(text.firstIndex(of: UInt8(ascii: ".")))
        let stranger = try SigningKey.generate(.es256)
        let payload = Base64URL.encode(Array(#"{"challenge":"another"}"#.utf8))
        let signed = text[...dot] + payload
        let forged = try reader.open(
            signed + [UInt8(ascii: ".")] + Base64URL.encode(stranger.sign(Array(signed))),
            as: .app2app
        )
        let own = try #require(forged.key)
        #expect(own == first.key && forged.payload["challenge"] == "another")
        #expect(!reader.isSigned(forged, by: own))
        let last = try #require(text.lastIndex(of: UInt8(ascii: ".")))
        let broken = text[...dot] + Base64URL.encode(Array("[]".utf8)) + text[last...]
        #expect(throws: ClientJWT.Malformed.form) { try reader.open(Array(broken), as: .app2app) }
    }

    @Test("attack: bytes that a text takes for those of a known header") func equivalent() throws {
        let reader = PhoneJWTReader()
        let key = try #require(Rows.key)
        // Three of these in a row are KCgo in base64.
        var text = try Rows.jwt(#"{\#(Rows.start),"more":"((((((","jwk":{JWK}}"#, key)
        _ = try reader.open(text, as: .app2app)
        let dot = try #require(text.firstIndex(of: UInt8(ascii: ".")))
        let letter = try #require(text[..<dot].firstIndex(of: UInt8(ascii: "K")))
        text.replaceSubrange(letter...letter, with: Array("\u{212A}".utf8))
        #expect(throws: ClientJWT.Malformed.form) { try reader.open(text, as: .app2app) }
    }

    @Test("a known header of 1,024 bytes and more is read again, and says the same")
    func long() throws {
        let reader = PhoneJWTReader()
        let rsa = try #require(Rows.rsa)
        let filler = String(repeating: "x", count: 900)
        let header =
            #"{"typ":"dpop+jwt","alg":"RS256","more":"\#(filler)","jwk":{JWK}}"#
        let text = try Rows.jwt(header, rsa)
        let jwts = try (0..<2).map { _ in try reader.open(text, as: .dpop) }
        let own = try #require(jwts[1].key)
        #expect(jwts[0].key == own && reader.isSigned(jwts[1], by: own))
    }
}
