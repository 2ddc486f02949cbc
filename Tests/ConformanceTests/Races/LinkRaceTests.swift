import EventFormat
import Foundation
import TestSupport
import Testing

extension Races {
    /// WireContract 7.1 to 7.5; Security 4.6.
    ///
    /// Posts that fail are few: a node takes twenty a minute from one address (L7).
    @Suite("Login links") struct LinkRaceTests {
        /// A login that waits for its mail's link.
        private struct Login {
            let site: Site
            var page: LoginPage
            /// As the mail has it.
            let link: String

            init(
                at site: Site,
                _ client: String = "app",
                of email: String = LinkRaceTests.address(),
                after others: Set<String> = []
            ) async throws {
                self.site = site
                page = try await LoginPage(
                    at: site.origin,
                    host: site.authority,
                    email: email,
                    client: client
                )
                let box = MailBox(page: site.mailPage)
                link = try await box.newestLink(to: email, except: others)
            }

            /// By an app on another device.
            func approval(number: String? = nil) -> WireRequest {
                let more = number.map { "&number=\($0)" } ?? ""
                return WireRequest("POST", link.dropFirst(site.origin.count) + more)
            }

            /// By a browser on another device.
            func denial() async throws -> WireRequest {
                let token = link.components(separatedBy: "token=").last ?? ""
                let path = "/flows/verify_login_link"
                let query = SignIn.form([("client", "app"), ("token", token)])
                let page = try await site.send(WireRequest("GET", "\(path)?\(query)"))
                let fields = [
                    ("client", "app"), ("token", token), ("action", "deny"),
                    ("form_token", SignIn.field("form_token", page)),
                ]
                return WireRequest("POST", path, [("Origin", site.origin)], SignIn.form(fields))
            }

            mutating func waiting() async throws -> WireAnswer {
                try await page.browser.send("GET", "/login/wait?tx=\(page.tx)")
            }

            /// The button of the waiting page.
            mutating func completion() async throws -> WireRequest {
                let form = SignIn.field("form_token", try await waiting())
                let fields = [("tx", page.tx), ("form_token", form)]
                let headers = [
                    (name: "Origin", value: site.origin),
                    (name: "Cookie", value: page.browser.jar.header ?? ""),
                ]
                return WireRequest("POST", "/login/complete", headers, SignIn.form(fields))
            }

            mutating func status() async throws -> String? {
                let answer = try await page.browser.send("GET", "/login/status?tx=\(page.tx)")
                return answer.result("status")
            }
        }

        private static func address() -> String {
            "race-\(UUID().uuidString.prefix(12).lowercased())@example.com"
        }

        /// The codes that were sent, each once.
        private static func codes(in answers: [WireAnswer]) -> Set<String> {
            Set(
                answers.compactMap { answer in
                    let location = answer["location"].flatMap { URLComponents(string: $0) }
                    return location?.queryItems?.first { $0.name == "code" }?.value
                }
            )
        }

        /// What one first login leaves.
        private static let completed: [StoredType: Int] = [
            .loginLinkConsumed: 1, .subjectRegistered: 1, .loginIDClaimed: 1,
            .browserSessionOpened: 1, .authorizationAuthenticated: 1, .authorizationCompleted: 1,
            .authorizationCodeIssued: 1,
        ]

        @Test("attack: one link is approved fifty times: once") func approval() async throws {
            let project = try await Races.project()
            let login = try await Login(at: project.site)
            let race = try Race(at: project)
            let answers = try await race.run(login.approval())
            #expect(answers.outcomes == ["200": 50])
            #expect(try race.events() == [.loginLinkApproved: 1])
        }

        @Test("attack: one login is completed fifty times: one user, one session, one code")
        func completion() async throws {
            let project = try await Races.project()
            let site = project.site
            var login = try await Login(at: site)
            #expect(try await site.send(login.approval()).status == 200)
            let request = try await login.completion()
            let race = try Race(at: project)
            let answers = try await race.run(request)
            // Whoever presses twice gets the same code again.
            #expect(answers.outcomes == ["303": 50])
            let codes = Self.codes(in: answers)
            #expect(codes.count == 1)
            #expect(try race.events() == Self.completed)
            let session = try await site.token(GrantForm.code(codes.first ?? ""))
            #expect(session.status == 200, "\(session.text)")
        }

        @Test(
            "attack: a link is approved and refused at once: one decision, and it stands",
            arguments: [true, false]
        )
        func decision(isApprovalFirst: Bool) async throws {
            let project = try await Races.project()
            let site = project.site
            var login = try await Login(at: site)
            let approval = login.approval()
            let denial = try await login.denial()
            let completion = try await login.completion()
            func isApproval(_ caller: Int) -> Bool { (caller / 2 % 2 == 0) == isApprovalFirst }
            let callers = Array(0..<16)
            let race = try Race(at: project)
            let answers = try await race.run(
                callers.map { isApproval($0) ? approval : denial }
            )
            var events = try race.events()
            let isApproved = events[.loginLinkApproved] != nil
            // A refusal ends the request, too.
            let denied: [StoredType: Int] = [.loginLinkDenied: 1, .authorizationFailed: 1]
            #expect(events == (isApproved ? [.loginLinkApproved: 1] : denied))
            let approvals = zip(callers, answers).filter { isApproval($0.0) }.map(\.1)
            let denials = zip(callers, answers).filter { !isApproval($0.0) }.map(\.1)
            #expect(
                approvals.outcomes == (isApproved ? ["200": 8] : ["403 InvalidLoginLink": 8])
            )
            // Who refuses what is refused hears yes, or that the link is dead.
            let refused = denials.filter { $0["location"]?.contains("?result=") == true }
            #expect(refused.isEmpty == isApproved)
            #expect(denials.allSatisfy { $0.status == 400 || $0.status == 303 })
            #expect(denials.filter { $0.status == 303 }.count == refused.count)
            for node in site.nodes.indices {
                let answer = try await site.send(completion, at: node)
                let part = isApproved ? "code=" : "error=access_denied"
                #expect(answer.status == 303, "\(answer.text)")
                #expect(answer["location"]?.contains(part) == true, "\(answer.text)")
            }
            events.merge(isApproved ? Self.completed : [:]) { $1 }
            #expect(try race.events() == events)
        }

        @Test(
            "attack: all three numbers of a link at once, or the wrong ones: one decision",
            arguments: [true, false]
        )
        func numbers(isRightAmongThem: Bool) async throws {
            let project = try await Races.project()
            let site = project.site
            var login = try await Login(at: site, "confirming")
            let shown = try await site.send(login.approval())
            #expect(shown.result("status") == "confirmation_required", "\(shown.text)")
            let numbers = try #require(shown.object("result")?["numbers"] as? [String])
            #expect(Set(numbers).count == 3)
            let page = try await login.waiting().text
            let right = try #require(numbers.first { page.contains("<strong>\($0)</strong>") })
            let picked = numbers.filter { isRightAmongThem || $0 != right }
            let race = try Race(at: project)
            // Each at both nodes.
            let answers = try await race.run(
                picked.flatMap { [login.approval(number: $0), login.approval(number: $0)] }
            )
            let events = try race.events()
            let isApproved = events[.loginLinkApproved] != nil
            #expect(isRightAmongThem || !isApproved)
            // A wrong pick ends the request, too.
            let denied: [StoredType: Int] = [.loginLinkDenied: 1, .authorizationFailed: 1]
            #expect(events == (isApproved ? [.loginLinkApproved: 1] : denied))
            #expect(
                answers.outcomes
                    == (isApproved
                        ? ["200": answers.count]
                        : ["403 WrongNumber": 1, "403 InvalidLoginLink": answers.count - 1])
            )
            #expect(try await login.status() == (isApproved ? "approved" : "denied"))
            // The number that the user was shown comes too late.
            for node in site.nodes.indices {
                let answer = try await site.send(login.approval(number: right), at: node)
                #expect(answer.status == (isApproved ? 200 : 403), "\(answer.text)")
            }
            #expect(try race.events() == events)
        }

        @Test("attack: two first logins with one new address at once: one user, and one login")
        func address()
            async throws
        {
            let project = try await Races.project()
            let site = project.site
            let email = Self.address()
            let first = try await Login(at: site, of: email)
            let second = try await Login(at: site, of: email, after: [first.link])
            var requests: [WireRequest] = []
            for var login in [first, second] {
                #expect(try await site.send(login.approval()).status == 200)
                requests.append(try await login.completion())
            }
            let race = try Race(at: project)
            let answers = try await race.run(
                (0..<Race.callers).map { requests[$0 / 2 % 2] }
            )
            #expect(answers.outcomes == ["303": Race.callers])
            // The 24 requests of the one, or the 26 of the other, are led to the page that says
            // that it is too late (decisions 0191 and 0200).
            let late = answers.filter { $0["location"]?.contains("/login/wait?") == true }
            #expect([24, 26].contains(late.count))
            #expect(
                try race.events()
                    == Self.completed.merging([.subjectRegistered: 1, .loginIDClaimed: 1]) { $1 }
            )
            #expect(Self.codes(in: answers).count == 1)
        }
    }
}
