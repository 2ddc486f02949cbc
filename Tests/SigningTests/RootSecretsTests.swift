import Crypto
import Domain
import Issuing
import Runtime
import Testing

@testable import Signing

@Suite("Root secrets") struct RootSecretsTests {
    private static let start = Instant(seconds: 1_800_000_000)
    private static let staged = start.adding(seconds: 600)
    private static let aDay = staged.adding(seconds: 86_400)

    @Test("replaced in three steps: each verifies what those before and after it make")
    func replaced() throws {
        let first = RootSecrets.generate()
        let next = try first.staging(at: Self.start)
        let promoted = try next.promoting(at: Self.staged)
        let last = try promoted.retiring(at: Self.aDay)
        let steps = try [first, next, promoted, last].map { secrets in
            try #require(RootSecrets(secrets.joined), "each is read as it was written")
        }
        let digesters = steps.map { RootDigester($0) }
        let macs = digesters.map { $0.mac(.form, [1, 2]) }
        #expect(macs[0] == macs[1] && macs[2] == macs[3] && macs[1] != macs[2])
        let takes = digesters.map { digester in
            macs.map { digester.isValid($0, .form, [1, 2]) }
        }
        #expect(
            takes == [
                [true, true, false, false], [true, true, true, true], [true, true, true, true],
                [false, false, true, true],
            ]
        )
        #expect(digesters.map { $0.macs(.form, [1, 2]).second } == [nil, macs[2], macs[0], nil])
        let outlines = steps.map(\.outline)
        #expect(outlines.map { $0.second?.standing } == [nil, .next, .former, nil])
        #expect(outlines[1].second?.id == outlines[3].id)
        #expect(outlines[2].second?.id == outlines[0].id)
        for digester in digesters {
            #expect(digester.mac(.lookup, [1]) == digesters[0].mac(.lookup, [1]))
            #expect(!digester.isValid(digester.mac(.form, [1]), .refresh, [1]), "a key a label")
            #expect(!digester.isValid(digester.mac(.form, [1]), .form, [2]))
        }
    }

    @Test("a digester takes another root secret while it is in use, and names stay") func taken()
        throws
    {
        let first = RootSecrets.generate()
        let promoted = try first.staging(at: Self.start).promoting(at: Self.staged)
        let digester = RootDigester(first)
        let (mac, name) = (digester.mac(.challenge, [1]), digester.mac(.lookup, [1]))
        digester.use(promoted)
        #expect(digester.mac(.challenge, [1]) != mac)
        #expect(digester.isValid(mac, .challenge, [1]))
        digester.use(promoted.renewed())
        #expect(!digester.isValid(mac, .challenge, [1]))
        #expect(digester.mac(.lookup, [1]) == name)
    }

    @Test("a step too early, or out of order, is refused and says until when") func refused() throws
    {
        let first = RootSecrets.generate()
        let next = try first.staging(at: Self.start)
        let promoted = try next.promoting(at: Self.staged)
        let early = Instant(milliseconds: Self.staged.milliseconds - 1)
        let tooSoon = Instant(milliseconds: Self.aDay.milliseconds - 1)
        expect(.absent(.next)) { () throws(RootSecrets.Refusal) in try first.promoting(at: early) }
        expect(.absent(.former)) { () throws(RootSecrets.Refusal) in
            try first.retiring(at: early)
        }
        expect(.underWay(.next)) { () throws(RootSecrets.Refusal) in try next.staging(at: early) }
        expect(.early(.next, until: Self.staged)) { () throws(RootSecrets.Refusal) in
            try next.promoting(at: early)
        }
        expect(.underWay(.former)) { () throws(RootSecrets.Refusal) in
            try promoted.staging(at: Self.aDay)
        }
        expect(.absent(.next)) { () throws(RootSecrets.Refusal) in
            try promoted.promoting(at: Self.aDay)
        }
        expect(.early(.former, until: Self.aDay)) { () throws(RootSecrets.Refusal) in
            try promoted.retiring(at: tooSoon)
        }
        #expect(
            try next.retiring(at: Self.start).outline == first.outline,
            "one that was never promoted"
        )
    }

    private func expect(
        _ refusal: RootSecrets.Refusal,
        _ step: () throws(RootSecrets.Refusal) -> RootSecrets
    ) {
        do throws(RootSecrets.Refusal) {
            _ = try step()
            Issue.record("it was taken")
        } catch { #expect(error == refusal) }
    }

    @Test("a stolen one leaves nothing behind but names") func renewed() throws {
        let staged = try RootSecrets.generate().staging(at: Self.start)
        let renewed = staged.renewed()
        let (before, outline) = (staged.outline, renewed.outline)
        #expect(outline.second == nil && outline.log == before.log)
        #expect(outline.id != before.id && outline.id != before.second?.id)
        #expect(RootSecrets.generate().outline.log != before.log)
    }

    @Test("of another length or with an unknown standing: it is no file of ours") func malformed()
        throws
    {
        let staged = try RootSecrets.generate().staging(at: Self.start)
        let bytes = staged.joined.withBytes { span in span.indices.map { span[$0] } }
        for count in [0, 32, 63, 65, 96, 104, 106] {
            let cut = (bytes + bytes).prefix(count)
            #expect(RootSecrets(Secret(Array(cut))) == nil, "\(count)")
        }
        for standing in [0, 3, 255] as [UInt8] {
            var other = bytes
            other[96] = standing
            #expect(RootSecrets(Secret(other)) == nil, "\(standing)")
        }
    }
}
