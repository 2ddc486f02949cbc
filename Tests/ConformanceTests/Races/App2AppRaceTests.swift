import EventFormat
import Foundation
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
            // Nodes of its own: at the stack's others bind keys meanwhile.
            var nodes: [IssuerProcess] = []
            defer {
                for node in nodes { node.signal(SIGTERM) }
                for node in nodes { _ = node.end() }
            }
            for name in ["binding-1", "binding-2"] {
                nodes.append(try await IssuerProcess(beside: project.stack, named: name))
            }
            let before = try await Self.insecureBindings(at: nodes)
            let race = try Race(at: project)
            let answers = try await race.run(requests, at: nodes.map(\.origin))
            #expect(answers.outcomes == ["200": 1, "400 invalid_request": 49])
            // What operators look at until the day from which no key is bound so.
            #expect(try await Self.insecureBindings(at: nodes) == before + 1)
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

        /// How many keys these nodes have bound on nobody's word.
        private static func insecureBindings(at nodes: [IssuerProcess]) async throws -> Int {
            let series = "chancery_insecure_key_bindings_total "
            var sum = 0
            for node in nodes {
                var admin = Browser(node.adminOrigin)
                let text = try await admin.send("GET", "/metrics").text
                let line = text.split(separator: "\n").first { $0.hasPrefix(series) }
                sum += try #require(line.flatMap { Int($0.dropFirst(series.count)) }, "\(text)")
            }
            return sum
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
