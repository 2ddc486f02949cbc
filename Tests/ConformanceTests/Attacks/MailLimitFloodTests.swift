import EventFormat
import TestSupport
import Testing

/// Who has mails sent without end (security.md 4.6, L5 and L6).
@Suite("Floods of mails", .timeLimit(.minutes(3))) struct MailLimitFloodTests {
    /// A limit that a hundred mails have reached: to one address, by one network and one app.
    struct Row: Sendable {
        let sentence: String
        /// In `rate_limits.mails`.
        let limit: String
        /// Who is refused; nil: whoever asks for mails to the flooded address.
        var refused: MailFlood.Visitor?
        let others: [MailFlood.Visitor]
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
        try await flood.fill()
        try await Self.mail(.init(), flood, "address and minute")
        for row in Self.rows {
            // The others of an address are off: none stands in for this one.
            let off = ["minute", "hour", "day"].map { "address_per_\($0)" }
                .filter { $0 != row.limit }
            let limits = off.map { "\($0): 0" } + ["\(row.limit): 1"]
            try await flood.issuer.take(limits: "mails: {\(limits.joined(separator: ", "))}")
            try await Self.refuse(row, flood)
            for other in row.others { try await Self.mail(other, flood, row.sentence) }
        }
    }

    private static func refuse(_ row: Row, _ flood: MailFlood) async throws {
        guard let visitor = row.refused else {
            let outcome = try await flood.ask(for: flood.address, .init(address: afar))
            #expect(MailFlood.isPromised(outcome.answer), "\(row.sentence)")
            #expect(outcome.events == MailFlood.asked, "\(row.sentence)")
            #expect(outcome.mails == 0, "\(row.sentence)")
            return
        }
        let outcome = try await flood.ask(for: MailFlood.newAddress(), visitor)
        #expect(outcome.answer.status == 429, "\(row.sentence)")
        let seconds = outcome.answer["retry-after"].flatMap { Int($0) }
        #expect(1...3600 ~= seconds ?? 0, "\(row.sentence)")
        #expect(outcome.events == [.authorizationStarted: 1], "\(row.sentence)")
        #expect(outcome.mails == 0, "\(row.sentence)")
    }

    /// Whoever is not refused gets the mail.
    private static func mail(
        _ visitor: MailFlood.Visitor,
        _ flood: MailFlood,
        _ sentence: String
    ) async throws {
        let address = MailFlood.newAddress()
        let outcome = try await flood.ask(for: address, visitor)
        #expect(MailFlood.isPromised(outcome.answer), "\(sentence): \(visitor)")
        if visitor.isElsewhere {
            guard outcome.answer.status == 303 else { return }
            let box = MailBox(page: flood.project.site.mailPage)
            #expect(try await box.texts(to: address, subject: "").count == 1, "\(sentence)")
        } else {
            // Nothing but the mail tells that it may be sent.
            #expect(outcome.events == MailFlood.asked, "\(sentence)")
            #expect(outcome.mails == 1, "\(sentence)")
        }
    }
}
