import Crypto
import Domain
import HTTPServer
import InMemory
import Issuing
import OAuth
import TestSupport
import Testing
import WebAPI

/// A user's biometric keys (WireContract 9.5).
@Suite("Biometric keys of a user") struct BiometricKeyRouteTests {
    /// A phone with a key, and a token with full access.
    private func enrol(_ web: WebSide) async throws -> (BiometricTests.User, String) {
        let user = try await BiometricTests.User(web)
        let opened = try await DPoPTests.redeem(web, scope: "openid \(UserAccess.scope)")
        return (user, try #require(opened["access_token"]?.string))
    }

    private func call(
        _ method: WebAPI.Method,
        _ path: String,
        _ token: String?,
        _ web: WebSide
    ) async throws -> Answer {
        try await web.send(
            method,
            "/api/v1/biometric_keys\(path)",
            headers: token.map { ["authorization": "Bearer \($0)"] } ?? [:]
        )
    }

    @Test("a key is listed, removed with its session, and logs in no more") func removes()
        async throws
    {
        let web = try await WebSide()
        let (user, token) = try await enrol(web)
        let login = try await user.authenticate(user.jwt("authenticate"))
        let refresh = try #require(login["refresh_token"]?.string)
        let list = try await call(.get, "", token, web)
        #expect(list.status == 200, "\(list.body)")
        let keys = try #require(list["result"]?["biometric_keys"]?.array)
        #expect(keys.count == 1)
        let key = try #require(keys.first)
        #expect(key["kid"]?.string == user.kid)
        #expect(key["client_id"]?.string == "app")
        let lastUsed = try #require(key["last_used_at"]?.string)
        #expect(lastUsed.hasSuffix("Z"))

        let removed = try await call(.delete, "/\(user.kid)", token, web)
        #expect(removed.status == 200)
        #expect(removed.body == #"{"result":{}}"#)
        #expect(try await DPoPTests.refresh(web, refresh).error == "invalid_grant")
        let again = try await user.authenticate(user.jwt("authenticate"))
        #expect(again["error_description"]?.string == "InvalidCredentials")
        let rest = try await call(.get, "", token, web)
        #expect(rest.body == #"{"result":{"biometric_keys":[]}}"#)
        #expect(try await call(.delete, "/\(user.kid)", token, web).status == 404)
    }

    @Test("a key that cannot be read hides no other, here and at the settings") func damaged()
        async throws
    {
        let web = try await WebSide()
        let (user, token) = try await enrol(web)
        let lost = try await BiometricTests.User(web, kid: "kid-0002")
        let names = StreamNames(web.side.digester)
        web.side.store.spoil(names.biometricKey(lost.kid, in: web.side.project.number))
        let list = try await call(.get, "", token, web)
        #expect(list.status == 200, "\(list.body)")
        let keys = try #require(list["result"]?["biometric_keys"]?.array)
        #expect(keys.map { $0["kid"]?.string } == [user.kid])
        #expect(list["result"]?["unreadable"]?.integer == 1)
        let settings = SettingsSide(web)
        let page = try await settings.get()
        #expect(page.status == 200 && page.body.contains("Not every phone can be shown now."))
        #expect(try await call(.delete, "/\(user.kid)", token, web).status == 200)
        let rest = try await settings.get()
        #expect(rest.body.contains("Not every phone") && !rest.body.contains("No phone signs in"))
    }

    @Test("another's key, and one that never was, are not found") func foreign() async throws {
        let web = try await WebSide()
        let (_, token) = try await enrol(web)
        let somebody = try await web.somebodyElse()
        let other = try await BiometricTests.User(web, kid: "kid-0002", of: somebody)
        try await web.expectNothingRecorded {
            for kid in [other.kid, "kid-9999"] {
                let answer = try await call(.delete, "/\(kid)", token, web)
                #expect(answer.status == 404)
                #expect(Self.reason(answer) == "NotFound")
            }
        }
        #expect(try await call(.get, "", token, web).body.contains(other.kid) == false)
        #expect(try await other.authenticate(other.jwt("authenticate")).status == 200)
    }

    @Test("no token, a bad one, one without full access, one of an ended session") func tokens()
        async throws
    {
        let web = try await WebSide()
        let (_, token) = try await enrol(web)
        for bad in [nil, "x"] as [String?] {
            let answer = try await call(.get, "", bad, web)
            #expect(answer.status == 401)
            #expect(Self.reason(answer) == "Unauthenticated")
        }
        let poor = try #require(try await DPoPTests.redeem(web)["access_token"]?.string)
        let narrow = try await call(.get, "", poor, web)
        #expect(narrow.status == 403)
        #expect(Self.reason(narrow) == "AccessDenied")
        try await web.side.run(Subject.self, web.side.subject.stream) { .disable(.operator) }
        let ended = try await call(.get, "", token, web)
        #expect(ended.status == 403)
        #expect(Self.reason(ended) == "InvalidGrant")
    }

    private static func reason(_ answer: Answer) -> String? {
        answer["error"]?["reason"]?.string
    }
}
