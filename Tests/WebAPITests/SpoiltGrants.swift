import HTTPServer
import TestSupport
import WebAPI

private typealias P = SpoiltParameter
private let request = "400 invalid_request"
private let grant = "400 invalid_grant"
private let client = "401 invalid_client"
private let target = "400 invalid_target"
private let opaque = String(repeating: "A", count: 64)
private let prefix = "urn:ietf:params:oauth:token-type:"

/// The routes of phones and of apps that share, in a form (WireContract 4.6 and 5).
enum SpoiltGrants {
    static let all = [
        route(
            "authorization_code, a device key",
            [
                P("code", "ac_\(opaque)", absent: request, long: grant),
                P("x_app2app_device_key_jwt", "a.b.c", absent: grant, long: request),
                P("device_secret", "ds_\(opaque)", absent: grant, long: grant),
            ],
            "authorization_code"
        ),
        route(
            "refresh_token, a device secret",
            [
                P("refresh_token", "rt_\(opaque)AAAAAAAA", absent: request, long: grant),
                P("device_secret", "ds_\(opaque)", absent: grant, long: grant),
                P("x_device_info", "e30", absent: grant, long: request),
            ],
            "refresh_token"
        ),
        route(
            "Native SSO",
            exchange + [
                P("audience", PageSide.origin, absent: request, long: target),
                P("requested_token_type", "\(prefix)access_token", absent: request, long: request),
            ],
            "urn:ietf:params:oauth:grant-type:token-exchange",
            of: "invest"
        ),
        route(
            "a pre-authenticated URL",
            exchange + [
                P("audience", PageSide.origin, absent: request, long: target),
                P(
                    "requested_token_type",
                    "urn:authgear:params:oauth:token-type:pre-authenticated-url-token",
                    absent: request,
                    long: request
                ),
            ],
            "urn:ietf:params:oauth:grant-type:token-exchange",
            of: "offers"
        ),
        route(
            "an id token",
            [
                P(
                    "device_secret",
                    "ds_\(opaque)",
                    absent: "401 invalid_token",
                    long: "401 invalid_token"
                )
            ],
            "urn:authgear:params:oauth:grant-type:id-token"
        ),
        route(
            "an approval by a biometric key",
            [
                P("jwt", "a.b.c", absent: request, long: request),
                P("redirect_uri", TokenSide.redirectURI, absent: request, long: request),
                P("code_challenge", SignInSide.challenge, absent: request, long: request),
                P("code_challenge_method", "S256", absent: request, long: request),
                P("scope", "openid", absent: request, long: request),
            ],
            "urn:authgear:params:oauth:grant-type:biometric-request"
        ),
        pushed,
    ]

    /// Whose subject token is none: whatever else is right, nothing comes of it.
    private static let exchange = [
        P("subject_token", "a.b.c", absent: request, long: request),
        P("subject_token_type", "\(prefix)id_token", absent: request, long: request),
        P("actor_token", "ds_\(opaque)", absent: request, long: request),
        P(
            "actor_token_type",
            "urn:openid:params:token-type:device-secret",
            absent: request,
            long: request
        ),
        P("scope", "openid", absent: request, long: request),
    ]

    private static func route(
        _ note: String,
        _ parameters: [P],
        _ name: String,
        of id: String = "app"
    ) -> SpoiltRoute {
        SpoiltRoute(
            method: .post,
            path: "/oauth2/token",
            form: .oauth,
            parameters: [
                P("client_id", id, absent: client, long: client),
                P("grant_type", name, absent: request, long: "400 unsupported_grant_type"),
            ] + parameters,
            note: note
        )
    }

    /// Asks for a scope that nobody has, so that nothing is recorded.
    private static let pushed: SpoiltRoute = {
        let scope = "400 invalid_scope"
        func p(_ name: String, _ value: String, absent: String = scope, long: String = request)
            -> P
        {
            P(name, value, absent: absent, long: long)
        }
        return SpoiltRoute(
            method: .post,
            path: "/oauth2/par",
            form: .oauth,
            parameters: [
                p("client_id", "app", absent: client, long: client),
                p("redirect_uri", TokenSide.redirectURI),
                p(
                    "response_type",
                    "code",
                    absent: request,
                    long: "400 unsupported_response_type"
                ),
                p("scope", "openid+nope", absent: request), p("state", "s"), p("nonce", "n"),
                p("code_challenge", SignInSide.challenge, absent: request),
                p("code_challenge_method", "S256", absent: request),
                p("response_mode", "query"), p("prompt", "login"), p("max_age", "60"),
                p("dpop_jkt", SignInSide.challenge),
                p("login_hint", "a%40example.com", long: scope),
                p("resource", "https://api.example.com", long: scope)
                    .but { $0.twice = scope },
                p("id_token_hint", "a.b.c", long: scope),
            ]
        )
    }()
}
