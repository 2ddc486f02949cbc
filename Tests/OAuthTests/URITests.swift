import Domain
import OAuth
import Testing

@Suite struct OriginTests {
    @Test(arguments: [
        "https://auth.example.com", "http://localhost:8080", "https://127.0.0.1:8443",
        "http://[::1]:1", "https://[2001:db8::1]", "https://xn--bcher-kva.example",
        "https://1a.example",
    ])
    func readsAndWritesBack(_ text: String) throws {
        #expect(try #require(Origin(text)).description == text)
    }

    @Test(arguments: [
        "", "https://", "https:///", "https://a.example/", "https://a.example?", "ftp://a.example",
        "HTTPS://a.example", "https://A.example", "https://a.example.", "https://a..example",
        "https://-a.example", "https://a-.example", "https://a_b.example", "https://é.example",
        "https://a.example:443", "http://a.example:80", "https://a.example:0",
        "https://a.example:65536", "https://a.example:080", "https://a.example:",
        "https://a.example:+1", "https://u@a.example", "https://a.example:1:2",
        "https://2130706433", "https://127.1", "https://0127.0.0.1", "https://256.0.0.1",
        "https://1.2.3.4.5", "https://a.0x7f", "https://a.1a", "https://[::1", "https://[:::1]",
        "https://[1::2::3]", "https://[::ffff:1.2.3.4]", "https://[fe80::1%25eth0]",
        "https://[1:2:3:4:5:6:7]", "https://[1:2:3:4:5:6:7:8:9]", "https://[::A]",
        "https://[12345::]", "https://a b.example", "https://a.example\n", "https://a%2eexample",
    ])
    func refuses(_ text: String) {
        #expect(Origin(text) == nil)
    }

    @Test(arguments: [
        ("localhost", true), ("a.localhost", true), ("x.test", true), ("127.9.9.9", true),
        ("[::1]", true), ("atest", false), ("localhost.example", false), ("10.0.0.1", false),
    ])
    func knowsHostsForDevelopment(_ host: String, _ expected: Bool) throws {
        #expect(try #require(Origin("http://\(host)")).host.isForDevelopment == expected)
    }
}

@Suite struct RedirectURIRulesTests {
    @Test(arguments: [
        "https://a.example", "https://a.example/cb", "https://a.example:8443/cb?x=1&y=2",
        "com.example.bank:/callback", "com.example.bank://callback/x", "myapp:cb",
        "https://a.example/a%20b", "https://a.example/a..b/.well-known",
        "com.example.bank:///callback", "com.example.bank://oauth_callback",
        "com.example.bank://Callback", "com.example.bank://-/cb",
    ])
    func takes(_ uri: String) throws {
        _ = try RedirectURIRules.check(Array(uri.utf8), isNative: false)
    }

    @Test(
        arguments: [
            ("", .malformed(.length)),
            ("https://a.example/" + String(repeating: "a", count: 2048), .malformed(.length)),
            ("https://u:p@a.example/", .malformed(.userinfo)),
            ("https://a.example@evil.example/", .malformed(.userinfo)),
            ("https://a.example/#", .malformed(.fragment)),
            ("https://*.example/", .malformed(.wildcard)),
            ("https://é.example/", .malformed(.character)),
            ("https://a.example/ ", .malformed(.character)),
            ("https://a.example/\u{1}", .malformed(.character)),
            ("https://a.example/<", .malformed(.character)),
            ("https://a.example\\@evil.example", .malformed(.backslash)),
            ("https://a.example/a/../b", .malformed(.dotSegment)),
            ("https://a.example/.", .malformed(.dotSegment)),
            ("https://a.example/%2E%2e/b", .malformed(.dotSegment)),
            ("https://a.example/a%2f..%2Fb", .malformed(.dotSegment)),
            ("https://a.example/a%5c..%5Cb", .malformed(.dotSegment)),
            ("https://a.example/%", .malformed(.escape)),
            ("https://a.example/%4", .malformed(.escape)),
            ("https://a.example/%zz", .malformed(.escape)),
            ("https://a.example:443/", .malformed(.authority)),
            ("https://A.example/", .malformed(.authority)),
            ("https:/a.example/", .malformed(.authority)),
            ("https:a.example", .malformed(.authority)),
            ("//a.example/", .malformed(.scheme)),
            ("/callback", .malformed(.scheme)),
            ("Https://a.example/", .malformed(.scheme)),
            ("1app:/cb", .malformed(.scheme)),
            ("javascript:alert(1)", .forbiddenScheme("javascript")),
            ("data:text/html,x", .forbiddenScheme("data")),
            ("file:///etc/passwd", .forbiddenScheme("file")),
            ("https:///callback", .malformed(.authority)),
            ("https://oauth_callback/", .malformed(.authority)),
            ("com.example.bank://user@host", .malformed(.userinfo)),
            ("com.example.bank://*", .malformed(.wildcard)),
            ("blob:https://a.example/x", .forbiddenScheme("blob")),
            ("http://a.example/", .plainHTTP),
            ("http://127.0.0.1/cb", .plainHTTP),
            ("https://a.example/?code=1", .reservedParameter("code")),
            ("https://a.example/?a=1&%73tate=", .reservedParameter("state")),
            ("https://a.example/?iss", .reservedParameter("iss")),
        ] as [(String, RedirectURIRules.Refusal)]
    )
    func refuses(_ uri: String, _ refusal: RedirectURIRules.Refusal) {
        #expect(throws: refusal) {
            try RedirectURIRules.check(Array(uri.utf8), isNative: false)
        }
    }

    @Test func aNativeClientMayListenOnTheLoopbackAddressButNotOnTheName() throws {
        for uri in ["http://127.0.0.1/cb", "http://[::1]:5000/cb"] {
            _ = try RedirectURIRules.check(Array(uri.utf8), isNative: true)
        }
        for uri in ["http://localhost/cb", "http://127.0.0.2/cb", "http://a.example/"] {
            #expect(throws: RedirectURIRules.Refusal.plainHTTP) {
                try RedirectURIRules.check(Array(uri.utf8), isNative: true)
            }
        }
    }

    @Test(arguments: [
        ("https://a.example/cb", "https://a.example/cb", true),
        ("https://a.example/cb", "https://a.example/cb/", false),
        ("https://a.example:1/cb", "https://a.example:2/cb", false),
        ("http://127.0.0.1:51000/cb", "http://127.0.0.1/cb", true),
        ("http://[::1]:51000/cb?a=b", "http://[::1]:2/cb?a=b", true),
        ("http://127.0.0.1:51000/cb?a=b", "http://127.0.0.1/cb", false),
        ("http://127.0.0.1:51000/other", "http://127.0.0.1/cb", false),
        ("http://[::1]:51000/cb", "http://127.0.0.1/cb", false),
        ("http://127.0.0.1:51000@evil.example/cb", "http://127.0.0.1/cb", false),
    ])
    func matchesByBytesButForTheLoopbackPort(
        _ presented: String,
        _ registered: String,
        _ expected: Bool
    ) throws {
        let presented = try #require(RedirectURI(presented))
        let registered = try #require(RedirectURI(registered))
        #expect(RedirectURIRules.matches(presented, registered, isNative: true) == expected)
        let isEqual = presented == registered
        #expect(RedirectURIRules.matches(presented, registered, isNative: false) == isEqual)
    }

    @Test(arguments: [
        ("https://a.example/cb", true), ("com.a:/cb", false), ("http://127.0.0.1/cb", false),
        ("http://[::1]:51000/cb", false), ("httpsx:/cb", false),
    ])
    func onlyAnHTTPSAddressIsClaimed(_ uri: String, _ expected: Bool) throws {
        #expect(RedirectURIRules.isClaimed(try #require(RedirectURI(uri))) == expected)
    }

    @Test(arguments: [
        ("https://a.example/cb", true), ("http://127.0.0.1/cb", true), ("com.a:/cb", false),
        ("com.a://host/cb", false), ("httpx:/cb", false), ("httpsx:/cb", false),
    ])
    func aFormGoesToTheWebAlone(_ uri: String, _ expected: Bool) throws {
        #expect(RedirectURIRules.takesForms(try #require(RedirectURI(uri))) == expected)
    }

    @Test func aPrivateSchemeWithoutADotDeservesAWarning() throws {
        #expect(RedirectURIRules.deservesWarning(try AbsoluteURI(Array("myapp:/cb".utf8))))
        #expect(!RedirectURIRules.deservesWarning(try AbsoluteURI(Array("com.a:/cb".utf8))))
        #expect(!RedirectURIRules.deservesWarning(try AbsoluteURI(Array("https://a.b/".utf8))))
    }
}
