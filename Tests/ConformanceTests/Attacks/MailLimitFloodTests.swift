import EventFormat
import TestSupport
import Testing

/// Who has mails sent without end (Security 4.6, L5 and L6).
@Suite("Floods of mails", .timeLimit(.minutes(6))) struct MailLimitFloodTests {
    /// A limit that a hundred mails have reached: to one address, by one network and one app.
    struct Row: Sendable {
        let sentence: String
        /// In `rate_limits.mails`.
        let limit: String
        /// Who is refused; nil: whoever asks for mails to the flooded address.
        var refused: MailFlood.Visitor?
        let others: [MailFlood.Visitor]

        /// As settings; those of an address but this one are off: none stands in for it.
        var limits: String {
            let off = ["minute", "hour", "day"].map { "address_per_\($0)" }
                .filter { $0 != limit }
            let all = off.map { "\($0): 0" } + ["\(limit): 1"]
            return "mails: {\(all.joined(separator: ", "))}"
        }
    }

    /// What those of a row heard.
    private struct Heard {
        let refused: MailFlood.Outcome
        let others: [(address: String, outcome: MailFlood.Outcome)]
    }

    private static let afar = "2001:db8:7::1"
    private static let rows = [
        Row(sentence: "address and hour", limit: "address_per_hour", others: [.init()]),
        Row(sentence: "address and day", limit: "address_per_day", others: [.init()]),
        Row(
            sentence: "network",
            limit: "network_per_hour",
            refused: .init(address: "2001:db8:6:0:ffff::1"),
            others: [.init(address: "2001:db8:6:1::1"), .init(address: "192.0.2.66")]
        ),
        Row(
            sentence: "client",
            limit: "client_per_hour",
            refused: .init(address: afar),
            others: [.init(client: "invest")]
        ),
        Row(
            sentence: "project",
            limit: "project_per_hour",
            refused: .init(address: afar, client: "loose"),
            others: [.init(isElsewhere: true)]
        ),
    ]

    @Test("attack: mails without end, to one address or by one network, client or project")
    func flood() async throws {
        let flood = try await MailFlood()
        defer { flood.issuer.end() }
        var hour = try await flood.fill()
        // What one network has had leaves the address the mails that others ask for.
        let own = MailFlood.Visitor(address: Self.afar)
        let left = try await flood.ask(for: flood.address, own)
        try await Self.judge((flood.address, left), of: own, flood, "address and network")
        let address = MailFlood.newAddress()
        let outcome = try await flood.ask(for: address, .init())
        try await Self.judge((address, outcome), of: .init(), flood, "address and minute")
        for row in Self.rows {
            try await flood.issuer.take(limits: row.limits)
            var heard = try await Self.ask(row, flood)
            // An hour that has ended meanwhile took the flood along.
            for _ in 0..<MailFlood.attempts where MailFlood.hour != hour {
                try await flood.issuer.take(limits: "")
                hour = try await flood.fill()
                try await flood.issuer.take(limits: row.limits)
                heard = try await Self.ask(row, flood)
            }
            Self.judge(heard.refused, of: row)
            for (visitor, mail) in zip(row.others, heard.others) {
                try await Self.judge(mail, of: visitor, flood, row.sentence)
            }
        }
    }

    @Test("attack: mails that do not go out, without end, spend nothing of their client's")
    func inVain() async throws {
        // As few as development lets: a hundred to an address, two hundred by a client.
        let limits = [
            "address_per_minute: 0", "address_per_hour: 1", "client_per_hour: 2",
            "project_per_hour: 2",
        ]
        let mails = "mails: {\(limits.joined(separator: ", "))}"
        let flood = try await MailFlood("unsent", limits: mails)
        defer { flood.issuer.end() }
        for _ in 0..<MailFlood.attempts {
            let hour = try await flood.fill()
            try await flood.askAtOnce()
            let address = MailFlood.newAddress()
            let outcome = try await flood.ask(for: address, .init(address: Self.afar))
            // An hour that has ended meanwhile took the flood along.
            guard MailFlood.hour == hour else { continue }
            try await Self.judge((address, outcome), of: .init(), flood, "in vain")
            return
        }
        Issue.record("hours end too soon")
    }

    private static func ask(_ row: Row, _ flood: MailFlood) async throws -> Heard {
        let address = row.refused == nil ? flood.address : MailFlood.newAddress()
        let refused = try await flood.ask(for: address, row.refused ?? .init(address: afar))
        var others: [(address: String, outcome: MailFlood.Outcome)] = []
        for other in row.others {
            let address = MailFlood.newAddress()
            others.append((address, try await flood.ask(for: address, other)))
        }
        return Heard(refused: refused, others: others)
    }

    /// Whoever is refused gets no mail; of an address nothing else shows it.
    private static func judge(_ outcome: MailFlood.Outcome, of row: Row) {
        #expect(outcome.mails == 0, "\(row.sentence)")
        guard row.refused != nil else {
            #expect(MailFlood.isPromised(outcome.answer), "\(row.sentence)")
            #expect(outcome.events == MailFlood.asked, "\(row.sentence)")
            return
        }
        #expect(outcome.answer.status == 429, "\(row.sentence)")
        let seconds = outcome.answer["retry-after"].flatMap { Int($0) }
        #expect(1...3600 ~= seconds ?? 0, "\(row.sentence)")
        #expect(outcome.events == [.authorizationStarted: 1], "\(row.sentence)")
    }

    /// Whoever is not refused gets the mail.
    private static func judge(
        _ mail: (address: String, outcome: MailFlood.Outcome),
        of visitor: MailFlood.Visitor,
        _ flood: MailFlood,
        _ sentence: String
    ) async throws {
        let outcome = mail.outcome
        #expect(MailFlood.isPromised(outcome.answer), "\(sentence): \(visitor)")
        if visitor.isElsewhere {
            guard outcome.answer.status == 303 else { return }
            let box = MailBox(page: flood.project.site.mailPage)
            let texts = try await box.texts(to: mail.address, subject: "")
            #expect(texts.count == 1, "\(sentence)")
        } else {
            // Nothing but the mail tells that it may be sent.
            #expect(outcome.events == MailFlood.asked, "\(sentence)")
            #expect(outcome.mails == 1, "\(sentence)")
        }
    }
}
