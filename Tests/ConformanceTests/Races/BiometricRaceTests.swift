import EventFormat
import Foundation
import TestSupport
import Testing

extension Races {
    /// WireContract 5.5; Security 4.4.
    @Suite("Biometric keys") struct BiometricRaceTests {
        private static let setUp: [StoredType: Int] = [
            .biometricKeyEnabled: 1, .biometricKeyMaterialClaimed: 1, .spentSpent: 1,
        ]
        private static let loggedIn: [StoredType: Int] = [
            .biometricKeyUsed: 1, .offlineGrantOpened: 1, .offlineGrantRefreshTokenIssued: 1,
            .offlineGrantAccessTokenIssued: 1, .spentSpent: 1,
        ]
        private static let approved = loggedIn.merging([
            .authorizationCodeIssued: 1, .offlineGrantApp2AppApproved: 1,
        ]) { $1 }

        @Test("attack: fifty keys are set up over one challenge: one") func setupChallenge()
            async throws
        {
            let project = try await Races.project()
            let user = try await BiometricUser(at: project.site)
            let challenge = try await user.site.challenge(.biometric)
            var requests: [WireRequest] = []
            for _ in 0..<Race.callers {
                let key = try PhoneKey("ES256")
                requests.append(
                    try await user.setup(key, UUID().uuidString, challenge: challenge)
                )
            }
            try await Self.one(of: requests, user, project)
        }

        @Test("attack: fifty keys are set up under one kid: one") func name() async throws {
            let project = try await Races.project()
            let user = try await BiometricUser(at: project.site)
            var requests: [WireRequest] = []
            for _ in 0..<Race.callers {
                requests.append(try await user.setup(try PhoneKey("ES256"), user.kid))
            }
            try await Self.one(of: requests, user, project)
        }

        @Test("attack: one key is set up under fifty kids: one") func material() async throws {
            let project = try await Races.project()
            let user = try await BiometricUser(at: project.site)
            var requests: [WireRequest] = []
            for _ in 0..<Race.callers {
                requests.append(try await user.setup(user.finger, UUID().uuidString))
            }
            try await Self.one(of: requests, user, project)
        }

        @Test("attack: fifty keys are set up by one session: ten, and one by chance") func perDay()
            async throws
        {
            let project = try await Races.project()
            let user = try await BiometricUser(at: project.site)
            var requests: [WireRequest] = []
            for _ in 0..<Race.callers {
                requests.append(try await user.setup(try PhoneKey("ES256"), UUID().uuidString))
            }
            let race = try Race(at: project)
            let answers = try await race.run(requests)
            // Of two nodes each may take the last one.
            let keys = try race.events()[.biometricKeyEnabled] ?? 0
            #expect(10...11 ~= keys, "\(answers.outcomes)")
            #expect(answers.outcomes == ["200": keys, "429 x_rate_limited": 50 - keys])
        }

        private static func one(
            of requests: [WireRequest],
            _ user: BiometricUser,
            _ project: TestProject
        ) async throws {
            let race = try Race(at: project)
            let answers = try await race.run(requests)
            #expect(answers.outcomes == ["200": 1, "400 invalid_request": 49])
            #expect(try race.events() == setUp)
            #expect(try await user.mails() == 1)
        }

        @Test("attack: one login is sent fifty times: one session") func login() async throws {
            let project = try await Races.project()
            let user = try await BiometricUser.enrolled(at: project.site)
            let request = try await user.login()
            let race = try Race(at: project)
            let answers = try await race.run(request)
            #expect(answers.outcomes == ["200": 1, "400 invalid_request": 49])
            #expect(try race.events() == Self.loggedIn)
        }

        @Test("attack: one login that approves is sent fifty times: one session, one code")
        func approval() async throws {
            let project = try await Races.project()
            let user = try await BiometricUser.enrolled(at: project.site)
            let request = try await user.approval()
            let race = try Race(at: project)
            let answers = try await race.run(request)
            #expect(answers.outcomes == ["200": 1, "400 invalid_request": 49])
            #expect(try race.events() == Self.approved)
        }

        @Test("attack: one challenge for a login and for an approval: it serves one of them")
        func twoUses() async throws {
            let project = try await Races.project()
            let user = try await BiometricUser.enrolled(at: project.site)
            let challenge = try await user.site.challenge(.biometric)
            let login = try await user.login(challenge: challenge)
            let approval = try await user.approval(challenge: challenge)
            let race = try Race(at: project)
            let answers = try await race.run(
                (0..<Race.callers).map { $0 / 2 % 2 == 0 ? login : approval }
            )
            #expect(answers.outcomes == ["200": 1, "400 invalid_request": 49])
            let isApproved = answers.contains { $0.member("code") != nil }
            #expect(try race.events() == (isApproved ? Self.approved : Self.loggedIn))
        }

        /// What a node lets in at once, and a minute: in development a hundred times the setting.
        private static let letInAtOnce = 100
        /// So often fifty come, until both nodes have had enough.
        private static let roundsMax = 12

        @Test("attack: one key logs in, fifty times at once: its nodes let in what they may")
        func pace() async throws {
            let project = try await Races.project()
            let user = try await BiometricUser.enrolled(at: project.site)
            var nodes: [ProxiedIssuer] = []
            defer { for node in nodes { node.end() } }
            for name in ["paced-1", "paced-2"] {
                let limits = "per_minute: {refresh: 1}"
                nodes.append(
                    try await ProxiedIssuer(beside: project.stack, named: name, limits: limits)
                )
            }
            let race = try Race(at: project)
            let begin = ContinuousClock.now
            let answers = try await Self.logins(
                of: user,
                in: race,
                at: nodes.map(\.process.origin)
            )
            let seconds = (ContinuousClock.now - begin) / Duration.seconds(1)
            let most = Self.letInAtOnce + Int(seconds * Double(Self.letInAtOnce) / 60)
            for (node, answers) in zip(nodes, answers) {
                let letIn = answers.filter { $0.status == 200 }.count
                let refused = answers.count - letIn
                try #require(refused > 0, "too slow for the limit: \(seconds) s")
                #expect(Self.letInAtOnce...most ~= letIn, "\(seconds) s: \(answers.outcomes)")
                #expect(answers.outcomes == ["200": letIn, "429 x_rate_limited": refused])
                // Each was counted once, though it was decided on what the node remembered.
                let series = #"chancery_limit_hits_total{limit="refresh"}"#
                #expect(try await node.process.metric(series) == "\(refused)")
            }
            try await Self.oneIsLeft(of: answers.joined().filter { $0.status == 200 }, race, user)
        }

        /// Rounds of fifty logins at once, each with a challenge of its own, until each node has
        /// refused some; the answers of each.
        private static func logins(
            of user: BiometricUser,
            in race: Race,
            at nodes: [String]
        ) async throws -> [[WireAnswer]] {
            var heard: [[WireAnswer]] = nodes.map { _ in [] }
            for _ in 0..<roundsMax {
                var requests: [WireRequest] = []
                for _ in 0..<Race.callers { requests.append(try await user.login()) }
                let answers = try await race.run(requests, at: nodes)
                for (number, answer) in answers.enumerated() {
                    heard[number % nodes.count].append(answer)
                }
                let isOver = heard.allSatisfy { one in one.contains { $0.status == 429 } }
                guard !isOver else { break }
            }
            return heard
        }

        /// Each login has ended the session of the one before; who was refused has left nothing.
        private static func oneIsLeft(
            of logins: [WireAnswer],
            _ race: Race,
            _ user: BiometricUser
        ) async throws {
            var events = loggedIn.mapValues { $0 * logins.count }
            events[.offlineGrantRevoked] = logins.count - 1
            #expect(try race.events() == events)
            let refreshes = try await race.run(
                logins.map { .token(GrantForm.refresh($0.member("refresh_token"))) },
                atOnce: Race.callers,
                at: user.site.nodes[0]
            )
            #expect(
                refreshes.outcomes == ["200": 1, "400 invalid_grant": logins.count - 1]
            )
        }

        @Test("attack: logins beside the removal of their key: none outlives it") func removal()
            async throws
        {
            // With luck the removal comes first: then there was no race.
            var attempts = 1
            while try await Self.racedRemoval() == 0 {
                attempts += 1
                try #require(attempts <= 5, "no login came before the removal")
            }
        }

        /// - Returns: how many logins came first.
        private static func racedRemoval() async throws -> Int {
            let project = try await Races.project()
            let user = try await BiometricUser.enrolled(at: project.site)
            var requests: [WireRequest] = []
            for number in 0..<Race.callers {
                requests.append(number / 2 % 4 == 3 ? user.removal() : try await user.login())
            }
            let race = try Race(at: project)
            let answers = try await race.run(requests)
            let logins = answers.filter { $0.member("refresh_token") != nil }
            let events = try race.events()
            #expect(events[.biometricKeyDisabled] == 1)
            #expect(events[.biometricKeyUsed] ?? 0 == logins.count)
            #expect(events[.offlineGrantOpened] ?? 0 == logins.count)
            #expect(events[.spentSpent] ?? 0 == logins.count)
            #expect(events[.offlineGrantRevoked] ?? 0 == logins.count)
            for node in user.site.nodes.indices {
                for login in logins {
                    let form = GrantForm.refresh(login.member("refresh_token"))
                    let refused = try await user.site.token(form, at: node)
                    #expect(refused.outcome == "400 invalid_grant")
                }
                let late = try await user.site.send(try await user.login(), at: node)
                #expect(late.member("error_description") == "InvalidCredentials")
            }
            return logins.count
        }

        @Test("attack: fifty guesses at once: ten count, then the key rests at both nodes")
        func guesses() async throws {
            let project = try await Races.project()
            let user = try await BiometricUser.enrolled(at: project.site)
            let thief = try PhoneKey("ES256")
            var requests: [WireRequest] = []
            for _ in 0..<Race.callers { requests.append(try await user.login(by: thief)) }
            let race = try Race(at: project)
            let answers = try await race.run(requests)
            #expect(answers.outcomes["400 invalid_grant"] == 10)
            #expect(answers.filter { $0.status == 429 }.count == 40)
            #expect(try race.events() == [.biometricKeyVerificationFailed: 10])
            let counts = try race.payloads(of: .biometricKeyVerificationFailed)
                .compactMap { $0["count"] as? Int }
            #expect(counts.sorted() == Array(1...10))
            for node in user.site.nodes.indices {
                let owner = try await user.site.send(try await user.login(), at: node)
                #expect(owner.status == 429 && owner["retry-after"] != nil)
            }
        }
    }
}
