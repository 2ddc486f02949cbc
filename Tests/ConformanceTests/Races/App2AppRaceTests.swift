import EventFormat
import TestSupport
import Testing

extension Races {
    /// Wire contract, 5.4; security.md 4.3.
    @Suite("Approvals by a device key") struct App2AppRaceTests {
        @Test("attack: one approval is sent fifty times: one code") func challenge()
            async throws
        {
            let project = try await Races.project()
            let site = project.site
            let phone = try PhoneKey("ES256")
            var person = Person(at: site)
            let owner = try await person.session(on: phone).member("refresh_token")
            let jwt = try await site.signed(by: phone, .app2app, ["claim.client_id": "invest"])
            let race = try Race(at: project)
            let answers = try await race.run(.token(GrantForm.app2app(owner, jwt)))
            #expect(answers.outcomes == ["200": 1, "400 invalid_request": 49])
            #expect(
                try race.events() == [
                    .authorizationCodeIssued: 1, .offlineGrantApp2AppApproved: 1,
                    .spentSpent: 1,
                ]
            )
            let code = answers.compactMap { $0.member("code") }.first ?? ""
            let redeemed = try await site.token(GrantForm.code(code, of: "invest"))
            #expect(redeemed.status == 200)
        }

        @Test("attack: fifty thieves bind a key of their own to one session: one, and it is noted")
        func binding() async throws {
            let project = try await Races.project()
            let site = project.site
            var person = Person(at: site)
            let owner = try await person.session("loose").member("refresh_token")
            var requests: [WireRequest] = []
            for _ in 0..<Race.callers {
                let jwt = try await site.signed(by: try PhoneKey("ES256"), .app2app)
                requests.append(.token(GrantForm.app2app(owner, jwt)))
            }
            let race = try Race(at: project)
            let answers = try await race.run(requests)
            #expect(answers.outcomes == ["200": 1, "400 invalid_request": 49])
            #expect(
                try race.events() == [
                    .offlineGrantDeviceKeyBound: 1, .offlineGrantApp2AppApproved: 1,
                    .authorizationCodeIssued: 1, .spentSpent: 1,
                ]
            )
            for type in [StoredType.offlineGrantDeviceKeyBound, .offlineGrantApp2AppApproved] {
                let said = try race.payloads(of: type).map { $0["insecure"] as? Bool }
                #expect(said == [true], "\(type)")
            }
        }

        @Test("attack: one challenge for an approval and for a code: it serves one of them")
        func twoUses() async throws {
            let project = try await Races.project()
            let site = project.site
            let phone = try PhoneKey("ES256")
            var person = Person(at: site)
            let owner = try await person.session(on: phone).member("refresh_token")
            let code = try await person.code()
            let jwt = try await site.signed(by: phone, .app2app)
            let approval = WireRequest.token(GrantForm.app2app(owner, jwt))
            let redemption = WireRequest.token(
                GrantForm.code(code, [("x_app2app_device_key_jwt", jwt)])
            )
            let race = try Race(at: project)
            let answers = try await race.run(
                (0..<Race.callers).map { $0 / 2 % 2 == 0 ? approval : redemption }
            )
            let good = answers.filter { $0.status == 200 }
            #expect(good.count == 1)
            let isApproved = good.first?.member("code") != nil
            #expect(
                try race.events()
                    == (isApproved
                        ? [
                            .authorizationCodeIssued: 1, .offlineGrantApp2AppApproved: 1,
                            .spentSpent: 1,
                        ]
                        : [
                            .authorizationCodeRedeemed: 1, .browserSessionClientJoined: 1,
                            .offlineGrantOpened: 1, .offlineGrantRefreshTokenIssued: 1,
                            .offlineGrantAccessTokenIssued: 1, .offlineGrantDeviceKeyBound: 1,
                            .spentSpent: 1,
                        ])
            )
        }
    }
}
