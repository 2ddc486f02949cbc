import EventFormat
import Foundation
import TestSupport
import Testing

/// A project whose mails nobody but a test asks for, at one node of its own.
struct MailFlood {
    /// Who asks, where, and by which app.
    struct Visitor: Sendable {
        /// One of a network: all of one /64 are one.
        var address = "2001:db8:6::1"
        var client = "app"
        var isElsewhere = false
    }

    /// What asking for a mail comes to.
    struct Outcome {
        let answer: WireAnswer
        /// What the log has gained.
        let events: [StoredType: Int]
        /// How many went out.
        let mails: Int
    }

    /// What whoever may wait for a mail leaves in the log.
    static let asked: [StoredType: Int] = [
        .authorizationStarted: 1, .authorizationLoginRequested: 1, .loginLinkRequested: 1,
    ]

    /// What one network gets for an address in a minute, in development.
    private static let mailsMax = 100
    /// More.
    private static let manyMails = 110
    private static let atOnce = 10
    /// How often all is asked again since an hour, or a minute, has ended meanwhile.
    static let attempts = 3

    let project: TestProject
    let issuer: ProxiedIssuer
    /// Where all mails are to go.
    let address = Self.newAddress()

    /// `limits`: what stands in `rate_limits`.
    init(_ name: String = "mailed", limits: String = "") async throws {
        project = try await TestProject.named(name)
        issuer = try await ProxiedIssuer(beside: project.stack, named: name, limits: limits)
    }

    static func newAddress() -> String {
        "mailed-\(UUID().uuidString.prefix(12).lowercased())@example.com"
    }

    /// Asks for mails to one address, from one network, until it gets no more in this minute.
    ///
    /// - Returns: the hour that all of them are in.
    func fill() async throws -> Int {
        // A minute, or an hour, may end meanwhile: then the next one is filled.
        for _ in 0..<Self.attempts {
            let hour = Self.hour
            let race = try Race(at: project)
            try await askAtOnce()
            let isOneHour = hour == Self.hour
            #expect(try race.events() == Self.asked.mapValues { $0 * Self.manyMails })
            let count = try await sent(in: race)
            if count <= Self.mailsMax, isOneHour { return hour }
        }
        Issue.record("the address gets all that is asked for")
        return Self.hour
    }

    /// What is counted by the hour, and by the day, begins again when this moves on.
    static var hour: Int { Int(Date().timeIntervalSince1970) / 3600 }

    /// Asks for mails to that address, and is promised each.
    func askAtOnce() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for caller in 0..<Self.atOnce {
                group.addTask {
                    for number in 0..<Self.manyMails / Self.atOnce {
                        let from = "2001:db8:6::\(caller):\(number)"
                        let answer = try await answer(to: address, Visitor(address: from))
                        #expect(Self.isPromised(answer), "\(answer.status) \(answer.text)")
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    /// Whether the browser is told to wait for a mail.
    static func isPromised(_ answer: WireAnswer) -> Bool {
        answer.status == 303 && answer["location"]?.hasPrefix("/login/wait?tx=") == true
    }

    private func answer(to email: String, _ visitor: Visitor) async throws -> WireAnswer {
        let site = visitor.isElsewhere ? Site(project.stack) : project.site
        return try await LoginPage.asking(
            at: issuer.process.origin,
            host: site.authority,
            email: email,
            client: visitor.client,
            from: visitor.address
        ).answer
    }

    /// Asks for one mail, and waits until nothing is left to be sent.
    func ask(for email: String, _ visitor: Visitor) async throws -> Outcome {
        let race = try Race(at: project)
        let answer = try await answer(to: email, visitor)
        let events = try race.events()
        return Outcome(answer: answer, events: events, mails: try await sent(in: race))
    }

    private func sent(in race: Race) async throws -> Int {
        let applied = """
            SELECT project FROM es.events WHERE type = \(StoredType.projectConfigApplied.rawValue)
               AND convert_from(payload, 'UTF8')::json->>'project' = '\(project.id)'
            """
        // A row whose append failed stays for a minute, and is never sent: its form came again.
        let waiting = """
            SELECT 1 FROM es.mail_queue AS mail WHERE project IN (\(applied)) AND EXISTS (
              SELECT FROM es.events WHERE stream_id = mail.login_link) LIMIT 1
            """
        try await Waiting.until("no mail waits") {
            try Psql.rows(waiting, project.stack).isEmpty
        }
        return try race.payloads(of: .loginLinkMailSent).count
    }
}
