import EventFormat
import Foundation
import TestSupport
import Testing

extension Races {
    /// WireContract 5.4; Security 4.3.
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

        /// A session, its newest token, and one that is older than any whose answer was lost.
        private static func reused(_ site: Site, _ client: String, by phone: PhoneKey) async throws
            -> (old: String?, newest: String?)
        {
            var person = Person(at: site)
            let old = try await person.session(on: phone, client).member("refresh_token")
            var newest = old
            for _ in 0..<2 {
                let answer = try await site.token(GrantForm.refresh(newest, of: client))
                newest = answer.member("refresh_token")
            }
            return (old, newest)
        }

        /// Each fifth request is the reuse, at either node in turn.
        private static func mixed(_ requests: [WireRequest], with reuse: WireRequest)
            -> [WireRequest]
        {
            requests.enumerated().flatMap { number, request in
                number % 4 == 3 ? [request, reuse] : [request]
            }
        }

        @Test("attack: approvals while the owner's old token comes again: no code of them is good")
        func reuse() async throws {
            let project = try await Races.project()
            let site = project.site
            let phone = try PhoneKey("ES256")
            let (old, newest) = try await Self.reused(site, "app", by: phone)
            var approvals: [WireRequest] = []
            for _ in 0..<Race.callers {
                let jwt = try await site.signed(by: phone, .app2app)
                approvals.append(.token(GrantForm.app2app(newest, jwt)))
            }
            let race = try Race(at: project)
            let answers = try await race.run(
                Self.mixed(approvals, with: .token(GrantForm.refresh(old)))
            )
            let codes = answers.compactMap { $0.member("code") }
            let refused = answers.filter { $0.member("code") == nil }.outcomes
            #expect(refused == ["400 invalid_grant": answers.count - codes.count])
            var events: [StoredType: Int] = [
                .offlineGrantReuseDetected: 1, .offlineGrantRevoked: 1,
            ]
            if !codes.isEmpty {
                events[.offlineGrantApp2AppApproved] = codes.count
                events[.authorizationCodeIssued] = codes.count
                events[.spentSpent] = codes.count
            }
            #expect(try race.events() == events)
            try await project.refuse(
                codes.map { ("a code", GrantForm.code($0, of: "invest")) },
                as: "400 invalid_grant"
            )
        }

        @Test("attack: codes of approvals are redeemed meanwhile: whom they let in is out, too")
        func letIn() async throws {
            let project = try await Races.project()
            let site = project.site
            let phone = try PhoneKey("ES256")
            let (old, newest) = try await Self.reused(site, "cascading", by: phone)
            var redemptions: [WireRequest] = []
            for _ in 0..<Race.callers {
                let jwt = try await site.signed(by: phone, .app2app)
                let code = try await site.token(GrantForm.app2app(newest, jwt)).member("code")
                let form = GrantForm.code(try #require(code), of: "invest")
                redemptions.append(.token(form))
            }
            let race = try Race(at: project)
            let reuse = WireRequest.token(GrantForm.refresh(old, of: "cascading"))
            let answers = try await race.run(Self.mixed(redemptions, with: reuse))
            let guests = answers.filter { $0.status == 200 }
            let refused = answers.filter { $0.status != 200 }.outcomes
            #expect(refused == ["400 invalid_grant": answers.count - guests.count])
            for guest in guests {
                let uses = try await site.uses(of: guest, "invest")
                #expect(uses == ["401 invalid_grant", "400 invalid_grant"])
            }
            // Their own ends are recorded with the owner's, or by who follows it.
            try await Waiting.until("all of them have ended") {
                try race.events()[.offlineGrantRevoked] == guests.count + 1
            }
            let events = try race.events()
            #expect(events[.offlineGrantReuseDetected] == 1)
            #expect(events[.offlineGrantOpened, default: 0] == guests.count)
        }
    }
}
