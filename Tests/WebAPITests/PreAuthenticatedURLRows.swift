import TestSupport
import Testing

extension PreAuthenticatedURLTests {
    struct Row: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var change: (String, String?)
        var headers: [(String, String)] = []
        /// Nil: 204 or a page.
        var error: String?
        var status = 303
    }

    static let rows = [
        Row(
            testDescription: "attack: another site's page led here",
            change: ("state", "x"),
            headers: [("sec-fetch-site", "cross-site")],
            error: "interaction_required"
        ),
        Row(
            testDescription: "attack: a sibling site's page led here",
            change: ("state", "x"),
            headers: [("sec-fetch-site", "same-site")],
            error: "interaction_required"
        ),
        Row(
            testDescription: "attack: a value of that header which nobody knows",
            change: ("state", "x"),
            headers: [("sec-fetch-site", "anything")],
            error: "interaction_required"
        ),
        Row(
            testDescription: "a prefetch",
            change: ("state", "x"),
            headers: [("sec-purpose", "prefetch;prerender")],
            status: 204
        ),
        Row(
            testDescription: "a prefetch of old",
            change: ("state", "x"),
            headers: [("purpose", "prefetch")],
            status: 204
        ),
        Row(
            testDescription: "Mozilla's prefetch of old",
            change: ("state", "x"),
            headers: [("x-moz", "prefetch")],
            status: 204
        ),
        Row(
            testDescription: "another prompt",
            change: ("prompt", "login"),
            error: "invalid_request"
        ),
        Row(testDescription: "max_age", change: ("max_age", "60"), error: "invalid_request"),
        Row(testDescription: "no hint", change: ("id_token_hint", nil), error: "invalid_request"),
        Row(
            testDescription: "no token",
            change: ("x_pre_authenticated_url_token", nil),
            error: "invalid_request"
        ),
        Row(
            testDescription: "a token that never was",
            change: ("x_pre_authenticated_url_token", "pt_" + String(repeating: "A", count: 64)),
            error: "invalid_request"
        ),
        Row(
            testDescription: "no response_mode",
            change: ("response_mode", nil),
            error: "invalid_request"
        ),
        Row(
            testDescription: "step 6: another response_mode",
            change: ("response_mode", "query"),
            error: "invalid_request"
        ),
        Row(
            testDescription: "step 6: a request object",
            change: ("request", "ey.J.x"),
            error: "request_not_supported"
        ),
        Row(
            testDescription: "step 9: the form of dpop_jkt",
            change: ("dpop_jkt", "short"),
            error: "invalid_request"
        ),
        Row(
            testDescription: "step 9: the form of the nonce",
            change: ("nonce", "é"),
            error: "invalid_request"
        ),
        Row(
            testDescription: "step 10: the scope of URLs without device_sso",
            change: ("scope", "openid https://authgear.com/scopes/pre-authenticated-url"),
            error: "invalid_scope"
        ),
        Row(
            testDescription: "step 11: an unknown resource",
            change: ("resource", "https://evil.example"),
            error: "invalid_target"
        ),
        Row(
            testDescription: "more scope than the token's",
            change: ("scope", "openid payments.read"),
            error: "invalid_scope"
        ),
        Row(
            testDescription: "attack: an origin that is not listed",
            change: ("redirect_uri", "https://www.example.com.evil.example/"),
            status: 400
        ),
        Row(
            testDescription: "attack: user information before the listed origin",
            change: ("redirect_uri", "https://www.example.com@evil.example/"),
            status: 400
        ),
        Row(
            testDescription: "attack: a backslash",
            change: ("redirect_uri", #"https://www.example.com\@evil.example/"#),
            status: 400
        ),
        Row(
            testDescription: "attack: a backslash before the path",
            change: ("redirect_uri", #"https://www.example.com\.evil.example/"#),
            status: 400
        ),
        Row(
            testDescription: "attack: a listed origin behind another",
            change: ("redirect_uri", "https://evil.example/https://www.example.com/"),
            status: 400
        ),
        Row(
            testDescription: "attack: one slash",
            change: ("redirect_uri", "https:/www.example.com//www.example.com/"),
            status: 400
        ),
        Row(
            testDescription: "attack: a trailing dot",
            change: ("redirect_uri", "https://www.example.com./"),
            status: 400
        ),
        Row(
            testDescription: "attack: upper case",
            change: ("redirect_uri", "https://WWW.example.com/"),
            status: 400
        ),
        Row(
            testDescription: "attack: the default port written out",
            change: ("redirect_uri", "https://www.example.com:443/"),
            status: 400
        ),
        Row(
            testDescription: "attack: without TLS",
            change: ("redirect_uri", "http://www.example.com/"),
            status: 400
        ),
        Row(
            testDescription: "attack: another client opens it",
            change: ("client_id", "offers2"),
            error: "invalid_request"
        ),
        Row(
            testDescription: "a client without the switch",
            change: ("client_id", "other"),
            status: 400
        ),
    ]
}
