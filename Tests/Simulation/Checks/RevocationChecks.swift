import Domain
import Publishing

// @unchecked: touched by the one thread that runs the simulation.
/// What a service learns from `chancery.revocations` against what the log says (I11): what is dead
/// up to a watermark is refused, what lives is not, and each record says what its event says.
final class RevocationChecks: @unchecked Sendable {
    private let database: SimulatedDatabase
    private let topic: SimulatedTopic
    private var log = RevocationLog()
    private var reader = RevocationReader()
    private var indexes: [LogPosition: Int64] = [:]
    private var known = 0
    private var era = 1
    private var found: [String] = []

    init(_ database: SimulatedDatabase, _ topic: SimulatedTopic) {
        self.database = database
        self.topic = topic
    }

    func look(_ broken: (String, String) -> Void) {
        for sentence in found { broken("I11", sentence) }
        found = []
    }

    // MARK: - The topic

    func hears(_ record: RevocationRecord) {
        follow()
        reader.takes(record)
        // The relay notes the numbers it has given after it has used them.
        let ends = log.ends.filter { end in
            index(of: end) ?? record.index == record.index && end.at == record.revokedAt
                && end.key.utf8.elementsEqual(record.key.utf8)
        }
        // Several have one time where a clock was set back: without a number its words tell.
        let end =
            ends.first { index(of: $0) != nil } ?? ends.first { says(record, $0) } ?? ends.first
        guard let end, record.log == database.log else {
            return found.append("a record of \(record.key) is of no event")
        }
        judge(record, of: end)
    }

    func loses(_ key: String) { reader.loses(key) }

    /// Nothing up to its number is missing, nor anything up to its time.
    func hears(_ watermark: LogWatermark) {
        follow()
        ask { [self] end in
            index(of: end) ?? .max <= watermark.index || end.at <= watermark.completeThrough
        }
    }

    /// Once everything is told.
    func allIsTold() {
        follow()
        ask { _ in true }
    }

    // MARK: - Judging

    private func follow() {
        log.follow(database)
        // Who begins to read there finds what is left: of a cluster that is new, nothing.
        if era != topic.era {
            (era, reader) = (topic.era, RevocationReader())
            for record in topic.revocations.values { reader.takes(record) }
        }
        let ledger = database.relay.ledger
        while known < ledger.count {
            indexes[ledger[known].row.place] = ledger[known].index
            known += 1
        }
    }

    private func index(of end: RevocationLog.End) -> Int64? { indexes[end.place] }

    /// `isTold`: ends that the service must know.
    private func ask(_ isTold: (RevocationLog.End) -> Bool) {
        let ends = Dictionary(grouping: log.ends, by: \.session)
        var asked: Set<SessionID> = []
        // In the order of the log: a dictionary has none.
        for session in log.ends.map(\.session) where asked.insert(session).inserted {
            let all = ends[session] ?? []
            let told = all.filter(isTold)
            if told.contains(where: { $0.ended == .session }), !reader.knowsEnd(of: session) {
                found.append("the topic is called complete without the end of \(session)")
            }
            for birth in log.births[session] ?? [] {
                let isRefused = reader.refuses(birth.token, of: birth.client, in: session)
                let killers = told.filter { $0.kills(birth) }
                let isCertain = killers.contains { end in
                    guard case .client(_, isReplaced: true) = end.ended else { return true }
                    return !end.isVague(about: birth)
                }
                if isCertain, !isRefused {
                    found.append("a dead token passes at who reads the topic")
                }
                let isOver = all.contains { $0.kills(birth) || $0.isVague(about: birth) }
                if isRefused, !isOver {
                    found.append("a live token is refused by who reads the topic")
                }
            }
        }
    }

    private func judge(_ record: RevocationRecord, of end: RevocationLog.End) {
        // The longest access token, and a minute (Events 10.3).
        let isKept = record.expiresAt >= record.revokedAt.adding(seconds: 3_660)
        if !isKept { found.append("a record vanishes before the tokens it concerns") }
        if !says(record, end) { found.append("a record says other than its event") }
    }

    /// Whether a record says what an end does.
    private func says(_ record: RevocationRecord, _ end: RevocationLog.End) -> Bool {
        let client: ClientID?
        let token: TokenID?
        switch end.ended {
        case .session: (client, token) = (nil, nil)
        case .client(let left, _): (client, token) = (left, nil)
        case .token(let revoked, let owner): (client, token) = (owner, revoked)
        }
        return record.session == end.session && record.subject == end.subject?.stream
            && record.client == client?.text && record.token == token.map { "\($0)" }
            && record.reason.utf8.elementsEqual(end.reason.utf8)
    }
}
