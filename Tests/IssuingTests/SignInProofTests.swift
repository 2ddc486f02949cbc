import Domain
import InMemory
import Issuing
import OAuth
import TestSupport
import Testing

@Suite("Form tokens and references") struct SignInProofTests {
    @Test("the token of a page that shows an account names that one alone") func account()
        async throws
    {
        let side = try await SignInSide()
        let forms = side.context.forms
        let expiresAt = side.clock.now.adding(seconds: 1800)
        let page = StreamID(high: 1, low: 2)
        let browser = side.digester.sha256([1])
        let (ada, bob) = (SubjectID(Sample.stream(0x51)), SubjectID(Sample.stream(0x52)))
        let token = forms.token(
            .select,
            about: page,
            browser: browser,
            account: ada,
            expiresAt: expiresAt
        )
        try forms.check(token, .select, about: page, browser: browser, at: side.clock.now)
        let names = { (who: SubjectID, text: [UInt8], purpose: FormTokens.Purpose) in
            forms.names(who, text, purpose, about: page, browser: browser)
        }
        #expect(names(ada, token, .select))
        #expect(!names(bob, token, .select))
        #expect(!names(ada, token, .consent))
        #expect(!forms.names(ada, token, .select, about: page, browser: side.digester.sha256([2])))
        let bare = forms.token(.select, about: page, browser: browser, expiresAt: expiresAt)
        #expect(!names(ada, bare, .select))
        // The two halves of different pages are no whole.
        let theirs = forms.token(
            .select,
            about: page,
            browser: browser,
            account: bob,
            expiresAt: expiresAt.adding(seconds: 1)
        )
        let (mine, other) = (Base64URL.decode(token) ?? [], Base64URL.decode(theirs) ?? [])
        #expect(!names(bob, Base64URL.encode(Array(mine[..<40]) + other[40...]), .select))
    }

    @Test("a form token is for one purpose, request and browser, and for half an hour")
    func formToken() async throws {
        let side = try await SignInSide()
        let forms = side.context.forms
        let now = side.clock.now
        let one = StreamID(high: 1, low: 2)
        let browser = side.digester.sha256([1])
        let token = forms.token(
            .login,
            about: one,
            browser: browser,
            expiresAt: now.adding(seconds: 1800)
        )
        #expect(token.count == 54)
        try forms.check(token, .login, about: one, browser: browser, at: now)
        let late = now.adding(seconds: 1800)
        await expect(refusal: .invalidRequest) {
            try forms.check(token, .login, about: one, browser: browser, at: late)
        }
        for purpose in FormTokens.Purpose.allCases where purpose != .login {
            await expect(refusal: .accessDenied) {
                try forms.check(token, purpose, about: one, browser: browser, at: now)
            }
        }
        let two = StreamID(high: 1, low: 3)
        let other = side.digester.sha256([2])
        await expect(refusal: .accessDenied) {
            try forms.check(token, .login, about: two, browser: browser, at: now)
        }
        await expect(refusal: .accessDenied) {
            try forms.check(token, .login, about: one, browser: other, at: now)
        }
        await expect(refusal: .accessDenied) {
            try forms.check(nil, .login, about: one, browser: browser, at: now)
        }
        for index in token.indices {
            var altered = token
            altered[index] = altered[index] == UInt8(ascii: "A") ? UInt8(ascii: "B") : 0x41
            await expect(refusal: .accessDenied) {
                try forms.check(altered, .login, about: one, browser: browser, at: now)
            }
        }
    }

    @Test("a reference opens for five minutes, for its route, unaltered") func reference()
        async throws
    {
        let side = try await SignInSide()
        let references = SealedReferences(side.digester)
        let now = side.clock.now
        let text = try #require(references.seal(Array("a=b".utf8), for: .authorize, at: now))
        #expect(references.open(text, for: .authorize, at: now) == Array("a=b".utf8))
        #expect(references.open(text, for: .endSession, at: now) == nil)
        #expect(references.open(text, for: .authorize, at: now.adding(seconds: 300)) == nil)
        for index in text.indices {
            var altered = text
            altered[index] = altered[index] == UInt8(ascii: "A") ? UInt8(ascii: "B") : 0x41
            #expect(references.open(altered, for: .authorize, at: now) == nil)
        }
        #expect(references.open([], for: .authorize, at: now) == nil)
        let large = [UInt8](repeating: 0x61, count: SealedReferences.parametersBytesMax + 1)
        #expect(references.seal(large, for: .authorize, at: now) == nil)
    }

    static let agents = [
        ("Mozilla/5.0 (Windows NT 10.0) Chrome/126.0 Safari/537.36 Edg/126.0", "Edge on Windows"),
        ("Mozilla/5.0 (Linux; Android 14) Chrome/126.0 Mobile Safari/537.36", "Chrome on Android"),
        ("Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Firefox/128.0", "Firefox on Linux"),
        ("Mozilla/5.0 (Macintosh; Intel Mac OS X 14) Version/17 Safari/605", "Safari on macOS"),
        ("curl/8.5.0", nil), ("", nil), ("<script>", nil),
    ]

    @Test("a device is named as its owner would", arguments: agents)
    func device(_ row: (String, String?)) {
        #expect(DeviceName(userAgent: row.0)?.text == row.1)
    }
}
