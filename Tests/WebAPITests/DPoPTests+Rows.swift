import OAuth
import TestSupport
import Testing

extension DPoPTests {
    /// One thing that is changed in a proof that is otherwise right.
    struct Row: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var header: @Sendable (Members) -> Members = { $0 }
        var payload: @Sendable (Members) -> Members = { $0 }
        var isRefused = true
    }

    static let rows = [
        Row(testDescription: "everything right", isRefused: false),
        Row(
            testDescription: "a kid of any form is not looked at",
            header: { $0.setting("kid", "x") },
            isRefused: false
        ),
        Row(
            testDescription: "htu with query and fragment",
            payload: { $0.setting("htu", .string(endpoint + "?a=b#c")) },
            isRefused: false
        ),
        Row(
            testDescription: "exp 300 s ago, nbf 300 s ahead",
            payload: {
                $0.setting("exp", .integer(now - 300)).setting("nbf", .integer(now + 300))
            },
            isRefused: false
        ),
        Row(
            testDescription: "fractions of a second",
            payload: {
                $0.setting("iat", .decimal("\(now).75")).setting("exp", .decimal("\(now).5"))
                    .setting("nbf", .decimal("\(now + 300).9"))
            },
            isRefused: false
        ),
        Row(
            testDescription: "an exponent",
            payload: { payload in
                ["iat", "exp", "nbf"].reduce(payload) {
                    $0.setting($1, .decimal("1.795232554473E9"))
                }
            },
            isRefused: false
        ),
        Row(
            testDescription: "iat of another time, with an exponent",
            payload: { $0.setting("iat", .decimal("1.795232554473E8")) }
        ),
        Row(testDescription: "iat as text", payload: { $0.setting("iat", .string("\(now)")) }),
        Row(
            testDescription: "a clock 300 s behind",
            payload: { $0.setting("iat", .integer(now - 300)) },
            isRefused: false
        ),
        Row(
            testDescription: "a clock 300 s ahead",
            payload: { $0.setting("iat", .integer(now + 300)) },
            isRefused: false
        ),
        Row(testDescription: "typ JWT", header: { $0.setting("typ", "JWT") }),
        Row(
            testDescription: "typ of an app2app request",
            header: { $0.setting("typ", "vnd.authgear.app2app-request") }
        ),
        Row(testDescription: "alg none", header: { $0.setting("alg", "none") }),
        Row(testDescription: "alg HS256", header: { $0.setting("alg", "HS256") }),
        Row(testDescription: "no key", header: { $0.setting("jwk", nil) }),
        Row(testDescription: "crit", header: { $0.setting("crit", ["exp"]) }),
        Row(
            testDescription: "a symmetric key",
            header: { $0.setting("jwk", ["kty": "oct", "k": "AAAA"]) }
        ),
        Row(testDescription: "another method", payload: { $0.setting("htm", "GET") }),
        Row(testDescription: "the method in lower case", payload: { $0.setting("htm", "post") }),
        Row(
            testDescription: "another endpoint",
            payload: { $0.setting("htu", "https://auth.example.com/oauth2/par") }
        ),
        Row(
            testDescription: "another host",
            payload: { $0.setting("htu", "https://evil.example/oauth2/token") }
        ),
        Row(testDescription: "no htu", payload: { $0.setting("htu", nil) }),
        Row(testDescription: "no htm", payload: { $0.setting("htm", nil) }),
        Row(testDescription: "no iat", payload: { $0.setting("iat", nil) }),
        Row(testDescription: "made 301 s ago", payload: { $0.setting("iat", .integer(now - 301)) }),
        Row(
            testDescription: "made 301 s ahead",
            payload: { $0.setting("iat", .integer(now + 301)) }
        ),
        Row(
            testDescription: "expired 301 s ago",
            payload: { $0.setting("exp", .integer(now - 301)) }
        ),
        Row(
            testDescription: "not valid for 301 s",
            payload: { $0.setting("nbf", .integer(now + 301)) }
        ),
        Row(testDescription: "no jti", payload: { $0.setting("jti", nil) }),
        Row(testDescription: "an empty jti", payload: { $0.setting("jti", "") }),
        Row(
            testDescription: "a jti of 65 bytes",
            payload: { $0.setting("jti", .string(String(repeating: "j", count: 65))) }
        ),
    ]
}
