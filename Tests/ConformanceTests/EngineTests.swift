import Foundation
import TestSupport
import Testing

/// The engine finds what is wrong: a blind one would pass everything.
@Suite("The engine of .http files") struct EngineTests {
    static let sample = """
        # what it is for
        @ session s client=app scope="openid offline_access"
        POST /oauth2/token
        Authorization: {{basic.web}}

        grant_type=refresh_token
          &refresh_token={{s.refresh_token}}

        => 200
        Cache-Control: no-store
        !Set-Cookie
        {"token_type": "Bearer",
         "refresh_token": "{{> next}}"}
        ~ <b>

        GET /a
        => 404
        """

    @Test("a file is read step by step") func reads() throws {
        let script = try Script(name: "a", text: Self.sample)
        #expect(script.steps.count == 3)
        guard case .exchange(let first) = script.steps[1],
            case .exchange(let second) = script.steps[2]
        else {
            Issue.record("not exchanges")
            return
        }
        #expect(first.method == "POST" && first.status == 200 && first.line == 3)
        #expect(first.place == "line 3 (what it is for)")
        #expect(
            try first.body.filled(["s.refresh_token": "x"])
                == "grant_type=refresh_token&refresh_token=x"
        )
        #expect(first.expectedHeaders.map(\.name) == ["cache-control"])
        #expect(first.absentHeaders == ["set-cookie"] && first.contained.count == 1)
        #expect(first.json?.contains("next") == true)
        #expect(second.line == 16 && second.status == 404)
    }

    @Test(
        "a file that cannot be meant is refused",
        arguments: [
            "", "# only words", "get /a\n=> 200", "GET /a", "GET /a\n=> many",
            "GET /a\n=> 200\nno expectation", "GET /a b c\n=> 200",
            "GET /a\nnot a header\n\n=> 200",
        ]
    )
    func refuses(_ text: String) {
        #expect(throws: Script.Mistake.self) { try Script(name: "bad", text: text) }
    }

    struct Match: Sendable, CustomTestStringConvertible {
        var template: String
        var text: String
        var found: [String: String]?
        var testDescription: String { "\(template) on \(text)" }

        init(_ template: String, _ text: String, _ found: [String: String]?) {
            self.template = template
            self.text = text
            self.found = found
        }
    }

    @Test(
        "a template takes as little as it can, and nothing else",
        arguments: [
            Match("a", "a", [:]), Match("a", "ab", nil), Match("{{*}}", "", [:]),
            Match("a{{*}}c", "abbc", [:]), Match("a{{*}}c", "abbd", nil),
            Match("x={{> x}}&", "x=1&", ["x": "1"]), Match("x={{> x}}&{{*}}", "x=1&y&", ["x": "1"]),
            Match("{{known}}!", "value!", [:]), Match("{{known}}!", "other!", nil),
        ]
    )
    func matches(_ match: Match) throws {
        let found = try Template(match.template).match(match.text, ["known": "value"])
        #expect(found == match.found)
    }

    @Test("an option of a JWT is text, a time or JSON, or takes a member out") func options()
        throws
    {
        let jwt = try PhoneKey("ES256").jwt([
            "header.crit": "json:['exp']", "header.b64": "json:false", "header.kid": "the-key-1",
            "jwk.y": "absent", "claim.exp": "now+60", "claim.aud": "absent", "claim.sub": "me",
        ])
        let said = try #require(WireAnswer(decoding: jwt))
        let header = try #require(said.object("header"))
        #expect(header["crit"] as? [String] == ["exp"] && header["b64"] as? Bool == false)
        #expect(header["kid"] as? String == "the-key-1")
        #expect((header["jwk"] as? [String: String])?.keys.sorted() == ["crv", "kty", "x"])
        let claims = try #require(said.object("claims"))
        #expect(claims["exp"] is Int && claims["sub"] as? String == "me")
        #expect(claims["aud"] == nil)
    }

    @Test("a variable without a value is an error, not an empty text") func unknown() {
        #expect(throws: Template.Unknown.self) { try Template("{{a}}").filled([:]) }
        #expect(throws: Template.Unknown.self) { try Template("{{*}}").filled([:]) }
    }

    struct Pair: Sendable, CustomTestStringConvertible {
        var expected: String
        var actual: String
        var isEqual: Bool
        var testDescription: String { "\(expected) in \(actual)" }

        init(_ expected: String, _ actual: String, _ isEqual: Bool) {
            self.expected = expected
            self.actual = actual
            self.isEqual = isEqual
        }
    }

    @Test(
        "JSON is a subset of what is expected",
        arguments: [
            Pair(#"{"a": 1}"#, #"{"a": 1, "b": 2}"#, true), Pair(#"{"a": 1}"#, #"{"a": 2}"#, false),
            Pair(#"{"a": null}"#, #"{"b": 1}"#, true), Pair(#"{"a": null}"#, #"{"a": 1}"#, false),
            Pair(#"{"a": "{{*}}"}"#, #"{"a": [1]}"#, true), Pair(#"{"a": "{{*}}"}"#, "{}", false),
            Pair(#"{"a": {"b": true}}"#, #"{"a": {"b": true}}"#, true),
            Pair(#"{"a": {"b": true}}"#, #"{"a": {"b": false}}"#, false),
            Pair(#"{"a": ["x"]}"#, #"{"a": ["x", "y"]}"#, false),
            Pair(#"{"a": "at_{{> t}}"}"#, #"{"a": "at_1"}"#, true), Pair("[]", "{}", false),
        ]
    )
    func compares(_ pair: Pair) throws {
        var subset = JSONSubset([:])
        subset.compare(
            try JSONSerialization.jsonObject(with: Data(pair.expected.utf8)),
            try JSONSerialization.jsonObject(with: Data(pair.actual.utf8))
        )
        #expect(subset.differences.isEmpty == pair.isEqual, "\(subset.differences)")
    }
}
