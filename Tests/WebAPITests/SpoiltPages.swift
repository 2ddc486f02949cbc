import HTTPServer
import TestSupport
import WebAPI

private typealias P = SpoiltParameter
private let request = "400 invalid_request"
private let missing = "404 not_found"
private let forbidden = "403 access_denied"
private let redirected = "303 invalid_request"
private let goesOn = "303"
private let link = "/flows/verify_login_link"
private let origin = [(name: "origin", value: PageSide.origin)]
private let token = "ll_" + String(repeating: "A", count: 64)
/// `TX` and `TOKEN` become those of a login that waits for its address.
private let transaction = P("tx", "TX", absent: missing, long: missing)
private let formToken = P("form_token", "TOKEN", absent: forbidden, long: forbidden)

/// The routes a person's browser or mail app comes to.
enum SpoiltPages {
    private static func authorize(_ method: WebAPI.Method) -> SpoiltRoute {
        // A posted form only becomes a reference here; what it says is judged at the GET.
        let isPost = method == .post
        // Over the wire a target of this length is 414, and no GET gets so far.
        func p(
            _ name: String,
            _ value: String,
            absent: String = goesOn,
            long: String = request
        ) -> P {
            P(name, value, absent: isPost ? goesOn : absent, long: isPost ? request : long)
        }
        return SpoiltRoute(
            method: method,
            path: "/oauth2/authorize",
            form: .page,
            parameters: [
                p("client_id", "web", absent: request, long: "400 invalid_client"),
                // One is registered: it may be left out.
                p("redirect_uri", "https://web.example.com/callback"),
                p(
                    "response_type",
                    "code",
                    absent: redirected,
                    long: "303 unsupported_response_type"
                ),
                p("scope", "openid", absent: redirected), p("state", "s"), p("nonce", "n"),
                p("code_challenge", SignInSide.challenge, absent: redirected, long: redirected),
                p("code_challenge_method", "S256", absent: redirected, long: redirected),
                p("response_mode", "query", long: redirected),
                p("prompt", "login", long: redirected), p("max_age", "60", long: redirected),
                p("login_hint", "a%40example.com", long: goesOn),
                p("ui_locales", "en", long: goesOn), p("acr_values", "x", long: goesOn),
                p("resource", "https://api.example.com", long: "303 invalid_target")
                    .but { $0.twice = isPost ? goesOn : "303 invalid_target" },
                p("dpop_jkt", SignInSide.challenge, long: redirected),
                p("x_sso_enabled", "true", long: goesOn),
                p("x_suppress_idp_session_cookie", "false", long: goesOn),
                p("x_color_scheme", "dark", long: goesOn),
                p("x_state", "x"),
            ],
            headers: isPost ? origin : []
        )
    }

    private static func page(_ path: String) -> SpoiltRoute {
        SpoiltRoute(method: .get, path: path, form: .page, parameters: [transaction])
    }

    private static func action(_ path: String, _ more: [SpoiltParameter] = []) -> SpoiltRoute {
        SpoiltRoute(
            method: .post,
            path: path,
            form: .page,
            parameters: [transaction, formToken] + more,
            headers: origin
        )
    }

    static let all: [SpoiltRoute] = [
        authorize(.get), authorize(.post), page("/login"), page("/login/wait"), page("/continue"),
        page("/consent"),
        action("/login", [P("email", "nobody%40", absent: "400", long: "400")]),
        action("/continue", [P("action", "continue", absent: request, long: request)]),
        action("/consent", [P("action", "allow", absent: request, long: request)]),
        SpoiltRoute(
            method: .get,
            path: "/login/status",
            form: .envelope,
            parameters: [
                P("tx", "TX", absent: "404 NotFound", long: "404 NotFound"),
                P("wait", "0", absent: "200", long: "400 BadRequest"),
                P("seen", "approved", absent: "200", long: "400 BadRequest"),
            ]
        ),
        SpoiltRoute(
            method: .get,
            path: link,
            form: .page,
            parameters: [
                P("client", "web", absent: request, long: request),
                P("token", token, absent: request, long: request),
            ]
        ),
        SpoiltRoute(
            method: .post,
            path: link,
            form: .page,
            parameters: [
                P("token", token, absent: request, long: request),
                P("form_token", "x", absent: request, long: request),
                P("action", "approve", absent: request, long: request),
                P("number", "12", absent: request, long: request),
            ],
            headers: origin
        ),
        SpoiltRoute(
            method: .get,
            path: "/clients/web\(link)",
            form: .page,
            parameters: [
                P("token", token, absent: missing, long: "302").but { $0.unreadable = missing }
            ]
        ),
        SpoiltRoute(
            method: .post,
            path: "/clients/web\(link)",
            form: .envelope,
            parameters: [
                P("token", token, absent: "403 InvalidLoginLink", long: "403 InvalidLoginLink"),
                P("number", "12", absent: "403 InvalidLoginLink", long: "400 BadRequest"),
            ]
        ),
        SpoiltRoute(
            method: .get,
            path: "/oauth2/end_session",
            form: .page,
            parameters: [
                P("client_id", "web", absent: request, long: request),
                P(
                    "post_logout_redirect_uri",
                    "https://web.example.com/bye",
                    absent: "200",
                    long: request
                ), P("state", "s", absent: "303", long: request),
                P("ui_locales", "en", absent: "303", long: "303"),
            ]
        ),
        SpoiltRoute(
            method: .get,
            path: "/logout",
            form: .page,
            parameters: [P("reference", "x", absent: "200", long: request)]
        ),
    ]
}
