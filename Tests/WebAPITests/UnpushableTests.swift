import Domain
import HTTPServer
import InMemory
import Issuing
import OAuth
import TestSupport
import Testing
import WebAPI

/// Pre-authenticated URLs and app-session tokens cannot be pushed (WireContract 4.4, 4.6 and 9.6).
@Suite("What cannot be pushed") struct UnpushableTests {
    typealias URLs = PreAuthenticatedURLTests
    typealias Tokens = AppSessionTokenTests
    typealias Pushed = PushedRequestTests

    @Test("beside a request_uri nothing else counts: what was pushed goes on")
    func besideReference() async throws {
        let web = try await WebSide()
        let token = try await Tokens.tokens(web).browser
        let exchanged = try await URLs.exchange(web, try await URLs.session(web))
        let parameters = try URLs.parameters(exchanged)
        let ofApp = try #require(try await Pushed.push(web)["request_uri"]?.string)
        let pushed = try await Pushed.push(web, ["client_id": "offers"])
        let ofOffers = try #require(pushed["request_uri"]?.string)
        let answers = [
            try await Tokens.open(web, token, ["request_uri": ofApp]),
            try await web.send(.get, URLs.target(parameters + [("request_uri", ofOffers)])),
        ]
        for answer in answers {
            #expect(answer.field("Location").first?.hasPrefix("/login?tx=") == true)
            #expect(!answer.field("Set-Cookie").contains { $0.contains("app_") })
        }
        // Another client's, or nobody's: page 400.
        try await web.expectNothingRecorded {
            for reference in [ofOffers, "urn:ietf:params:oauth:request_uri:x"] {
                let answer = try await Tokens.open(web, token, ["request_uri": reference])
                #expect(answer.status == 400)
                #expect(answer.pageError == "invalid_request")
            }
        }
        #expect(try await Tokens.open(web, token).field("Set-Cookie").count == 1)
        #expect(try await web.send(.get, URLs.target(parameters)).field("Set-Cookie").count == 2)
    }

    @Test("a client that must push gets no token that nothing redeems") func noToken() async throws
    {
        let web = try await WebSide()
        let refresh = try await Tokens.tokens(web).refresh
        let session = try await URLs.session(web)
        let id = web.side.project.settings.id
        var settings = try #require(web.side.projects.project(id: id)).settings
        for index in settings.clients.indices {
            settings.clients[index].requiresPushedRequests = true
        }
        try await web.side.apply(settings)
        try await web.expectNothingRecorded {
            let asked = try await Tokens.ask(web, refresh)
            #expect(asked.status == 403)
            #expect(asked["error"]?["reason"] == "AccessDenied")
            let exchanged = try await URLs.exchange(web, session)
            #expect(exchanged.status == 400)
            #expect(exchanged.error == "unauthorized_client")
        }
    }

    @Test("attack: any parameter twice, beside a URL or a token") func twice() async throws {
        let web = try await WebSide(limits: [.page: .init(perMinute: 0)])
        let token = try await Tokens.tokens(web).browser
        let exchanged = try await URLs.exchange(web, try await URLs.session(web))
        let url = URLs.target(try URLs.parameters(exchanged))
        let hint = "https://authgear.com/login_hint?type=app_session_token&app_session_token="
        let page = URLs.target([
            ("client_id", "app"), ("response_type", "none"), ("prompt", "none"),
            ("redirect_uri", Tokens.settings), ("login_hint", hint + token),
        ])
        try await web.expectNothingRecorded {
            for name in AuthorizationRequestReader.parameters where name != "resource" {
                for target in [url, page] {
                    let answer = try await web.send(.get, "\(target)&\(name)=x&\(name)=x")
                    #expect(answer.status == 400, "\(name)")
                    #expect(answer.field("Set-Cookie") == [], "\(name)")
                }
            }
        }
        #expect(try await web.send(.get, page).field("Set-Cookie").count == 1)
        #expect(try await web.send(.get, url).field("Set-Cookie").count == 2)
    }
}
