import EventFormat
import TestSupport
import Testing

extension Races {
    /// WireContract 5.2 and 6.2; Security 4.3.
    @Suite("Codes that bind device keys") struct CodeRaceTests {
        @Test("attack: one device-key JWT with fifty codes binds one key and burns no other code")
        func challenge() async throws {
            let project = try await Races.project()
            let site = project.site
            var person = Person(at: site)
            let codes = try await person.codes(Race.callers)
            let jwt = try await site.signed(by: try PhoneKey("ES256"), .app2app)
            let race = try Race(at: project)
            let answers = try await race.run(
                codes.map { .token(GrantForm.code($0, [("x_app2app_device_key_jwt", jwt)])) }
            )
            #expect(answers.outcomes == ["200": 1, "400 invalid_request": 49])
            #expect(
                try race.events() == [
                    .authorizationCodeRedeemed: 1, .browserSessionClientJoined: 1,
                    .offlineGrantOpened: 1, .offlineGrantRefreshTokenIssued: 1,
                    .offlineGrantAccessTokenIssued: 1, .offlineGrantDeviceKeyBound: 1,
                    .spentSpent: 1,
                ]
            )
            let refused = zip(codes, answers).filter { $0.1.status == 400 }.map(\.0)
            let code = try #require(refused.first)
            #expect(try await site.token(GrantForm.code(code)).status == 200)
        }

        @Test("attack: one code is redeemed with fifty device keys: one session, one key")
        func code() async throws {
            let project = try await Races.project()
            let site = project.site
            var person = Person(at: site)
            var jwts: [String] = []
            for _ in 0..<Race.callers {
                jwts.append(try await site.signed(by: try PhoneKey("ES256"), .app2app))
            }
            let code = try await person.code()
            let race = try Race(at: project)
            let begin = ContinuousClock.now
            let answers = try await race.run(
                jwts.map { .token(GrantForm.code(code, [("x_app2app_device_key_jwt", $0)])) }
            )
            let took = begin.duration(to: .now)
            #expect(answers.outcomes == ["200": 1, "400 invalid_grant": 49])
            var expected: [StoredType: Int] = [
                .authorizationCodeRedeemed: 1, .browserSessionClientJoined: 1,
                .offlineGrantOpened: 1, .offlineGrantRefreshTokenIssued: 1,
                .offlineGrantAccessTokenIssued: 1, .offlineGrantDeviceKeyBound: 1,
                .spentSpent: 1,
            ]
            let events = try race.events()
            // Whom a slow machine comes to ten seconds after the first brings a replay.
            if took > .seconds(10), events[.authorizationCodeReplayed] != nil {
                expected[.authorizationCodeReplayed] = 1
                expected[.offlineGrantRevoked] = 1
            }
            #expect(events == expected)
        }

        @Test("attack: fifty renewals bring fifty device keys: the session gets one of them")
        func renewal() async throws {
            let project = try await Races.project()
            let site = project.site
            var person = Person(at: site)
            let session = try await person.session()
            let hint = [
                ("id_token_hint", session.member("id_token") ?? ""), ("max_age", "600"),
            ]
            let codes = try await person.codes(Race.callers, scope: "openid", hint)
            var requests: [WireRequest] = []
            for code in codes {
                let jwt = try await site.signed(by: try PhoneKey("ES256"), .app2app)
                requests.append(
                    .token(GrantForm.code(code, [("x_app2app_device_key_jwt", jwt)]))
                )
            }
            let race = try Race(at: project)
            let answers = try await race.run(requests)
            #expect(answers.outcomes == ["200": 1, "400 invalid_grant": 49])
            #expect(
                try race.events() == [
                    .authorizationCodeRedeemed: 1, .offlineGrantReauthenticated: 1,
                    .offlineGrantAccessTokenIssued: 1, .offlineGrantDeviceKeyBound: 1,
                    .spentSpent: 1,
                ]
            )
            // The session goes on, and no other one was opened.
            let refresh = GrantForm.refresh(session.member("refresh_token"))
            #expect(try await site.token(refresh).status == 200)
        }
    }
}
