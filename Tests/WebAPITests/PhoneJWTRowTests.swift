import Domain
import InMemory
import Issuing
import OAuth
import TestSupport
import Testing

/// What a phone signed well, and may not: times, audience, challenge (WireContract 6.1 and
/// 6.2), through every route that takes such a JWT.
@Suite("Payloads of phones over HTTP") struct PhoneJWTRowTests {
    typealias Opened = KeyConfusionTests.Opened

    struct Row: Sendable {
        var sentence: String
        /// Why it is refused, as the log has it.
        var cause: String
        var change: @Sendable (Opened) -> Members

        init(_ sentence: String, _ cause: String, _ change: @escaping @Sendable (Opened) -> Members)
        {
            self.sentence = sentence
            self.cause = cause
            self.change = change
        }

        /// Other times, in seconds from now; nil: none.
        init(_ sentence: String, issued: Int64?, expiry: Int64?) {
            self.init(sentence, "times") {
                $0.draft.payload
                    .setting("iat", issued.map { .integer(DPoPTests.now + $0) })
                    .setting("exp", expiry.map { .integer(DPoPTests.now + $0) })
            }
        }

        /// One member replaced, or left out.
        init(_ sentence: String, _ cause: String, _ name: String, _ value: JSON?) {
            self.init(sentence, cause) { $0.draft.payload.setting(name, value) }
        }
    }

    static let rows = times + bindings + challenges

    private static let times = [
        Row("made 301 s ago", issued: -301, expiry: 60),
        Row("made 301 s ahead", issued: 301, expiry: 600),
        Row("expired 301 s ago", issued: -300, expiry: -301),
        Row("good for 601 s", issued: 0, expiry: 601),
        Row("no iat", issued: nil, expiry: 60), Row("no exp", issued: 0, expiry: nil),
        Row("iat as text", "times", "iat", "1795232554"),
        Row("exp of long ago, with an exponent", "times", "exp", .decimal("1.7952326005E8")),
        Row("iat below zero, with a fraction", "times", "iat", .decimal("-1795232554.5")),
        Row("exp past 64 bits", "times", "exp", .decimal("99999999999999999999")),
        Row("iat below zero", issued: -DPoPTests.now - 1, expiry: 60),
    ]

    private static let bindings = [
        Row("another audience", "aud", "aud", "https://auth.example.org"),
        Row("the audience with a slash", "aud", "aud", "https://auth.example.com/"),
        Row("a list of audiences without us", "aud", "aud", ["https://auth.example.org"]),
        Row("an audience that is a number", "aud", "aud", .integer(1)),
        Row("device_info as text", "device_info", "device_info", "x"),
    ]

    private static let challenges = [
        Row("no challenge", "challenge", "challenge", nil),
        Row("a challenge that is a number", "challenge", "challenge", .integer(1)),
        Row("a challenge of nobody", "challenge") {
            $0.draft.payload.setting(
                "challenge",
                .string("ch_" + String(repeating: "A", count: 64))
            )
        },
        Row("a challenge for the other purpose", "challenge") { opened in
            let other: Challenges.Purpose = opened.purpose == .app2app ? .biometric : .app2app
            return opened.answering(other, of: opened.web.side.project)
        },
        Row("a challenge of another project", "challenge") { opened in
            opened.answering(opened.purpose, of: opened.neighbour)
        },
        Row("an expired challenge", "challenge") { opened in
            opened.answering(opened.purpose, of: opened.hasty)
        },
        Row("an altered challenge", "challenge") { opened in
            let text = opened.draft.payload["challenge"]?.string ?? ""
            let altered = text.dropLast() + (text.last == "A" ? "B" : "A")
            return opened.draft.payload.setting("challenge", .string(String(altered)))
        },
        Row("a challenge with padding", "challenge") { opened in
            let text = opened.draft.payload["challenge"]?.string ?? ""
            return opened.draft.payload.setting("challenge", .string(text + "="))
        },
    ]

    @Test(
        "is refused whoever signed, and leaves no trace; what is right then works",
        arguments: KeyConfusionTests.doors.filter { !$0.isProof }
    )
    func refused(_ door: KeyConfusionTests.Door) async throws {
        let opened = try await door.open()
        for row in Self.rows {
            var draft = opened.draft
            draft.payload = row.change(opened)
            let jwt = try draft.compact()
            let answer = try await opened.web.expectNothingRecorded(row.sentence) {
                try await opened.send(jwt)
            }
            #expect(answer.status == 400, "\(row.sentence): \(answer.body)")
            #expect(answer.error == "invalid_request", "\(row.sentence): \(answer.body)")
            #expect(answer.refusal?.cause == row.cause, "\(row.sentence): \(answer.body)")
        }
        let good = try await opened.send(opened.draft.compact())
        #expect(good.status == 200, "\(good.body)")
        // And once: a challenge that was spent is spent everywhere.
        let replay = try await opened.web.expectNothingRecorded {
            try await opened.send(opened.draft.compact())
        }
        #expect(replay.status == 400, "\(replay.body)")
    }

    @Test(
        "of fifty at once one wins, by one append",
        arguments: KeyConfusionTests.doors.filter { !$0.isProof }
    )
    func race(_ door: KeyConfusionTests.Door) async throws {
        let opened = try await door.open()
        let jwt = try opened.draft.compact()
        let send = opened.send
        let before = opened.web.commits
        let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<50 { group.addTask { try await send(jwt).status } }
            return try await group.reduce(into: [:]) { $0[$1, default: 0] += 1 }
        }
        #expect(statuses == [200: 1, 400: 49])
        #expect(opened.web.commits == before + 1)
    }

    @Test("attack: a challenge that one command has spent, at another") func crossed() async throws
    {
        let user = try await BiometricTests.User(WebSide())
        let login = try user.jwt("authenticate")
        let payload = DeviceKeyTests.payload(user.web, .biometric)
        let challenge = payload["challenge"]
        let first = try user.jwt("authenticate") { $0.setting("challenge", challenge) }
        let second = try user.jwt("authenticate_app2app") {
            $0.setting("challenge", challenge).setting("client_id", "other")
        }
        #expect(try await user.authenticate(first).status == 200)
        let answer = try await user.web.expectNothingRecorded {
            try await user.authenticate(second, user.link)
        }
        #expect(answer.word == "400 invalid_request")
        #expect(try await user.authenticate(login).status == 200)

        let owner = try await App2AppTests.Owner(user.web)
        let jwt = try owner.jwt()
        let code = try await user.web.side.code()
        #expect(try await owner.approve(jwt).status == 200)
        let bound = try await user.web.expectNothingRecorded {
            try await DeviceKeyTests.redeem(user.web, code: code, jwt: jwt)
        }
        #expect(bound.word == "400 invalid_request")
    }

    @Test("the clock of a phone may be 300 s off, either way", arguments: [-300, 300] as [Int64])
    func leeway(_ seconds: Int64) async throws {
        for door in KeyConfusionTests.doors where !door.isProof {
            let opened = try await door.open()
            var draft = opened.draft
            draft.payload = draft.payload.setting("iat", .integer(DPoPTests.now + seconds))
                .setting("exp", .integer(DPoPTests.now + (seconds < 0 ? -300 : 900)))
            let answer = try await opened.send(draft.compact())
            #expect(answer.status == 200, "\(door.testDescription): \(answer.body)")
        }
    }
}

extension KeyConfusionTests.Opened {
    fileprivate var purpose: Challenges.Purpose {
        draft.header["typ"]?.string == BiometricTests.type ? .biometric : .app2app
    }

    /// The payload with a fresh challenge of this purpose.
    fileprivate func answering(_ purpose: Challenges.Purpose, of project: Project) -> Members {
        let challenge = web.side.challenges.issue(purpose, in: project)
        return draft.payload.setting(
            "challenge",
            .string(String(decoding: challenge.text, as: UTF8.self))
        )
    }

    /// Another project at this issuer.
    fileprivate var neighbour: Project {
        project(number: ProjectNumber(2) ?? web.side.project.number, web.side.project.settings)
    }

    /// The project when its challenges were good for no time at all.
    fileprivate var hasty: Project {
        var settings = web.side.project.settings
        settings.challengeLifetimeSeconds = 0
        return project(number: web.side.project.number, settings)
    }

    private func project(number: ProjectNumber, _ settings: ProjectSettings) -> Project {
        let own = web.side.project
        return Project(
            number: number,
            settings: settings,
            digest: own.digest,
            configuration: own.configuration,
            keys: own.keys,
            keysStream: own.keysStream,
            keysVersion: own.keysVersion
        )
    }
}
