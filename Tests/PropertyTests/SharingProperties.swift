import Domain
import TestSupport
import Testing

/// Who comes into a session, and who goes (WireContract 5.6 and 5.7, Security 4.9).
@Suite("A shared session's depth") struct SharingProperties {
    private static let clients = ["a", "b.c~d_e-F", "web"].map(Sample.client)
    private static let begin = Sample.time(0)

    /// An opening, and comings and goings, of which some cannot follow.
    private static let logs = Generator<[OfflineGrant.Event]> { choices in
        let begin = SharingProperties.begin
        var opening = choices.opening(subject: choices.subject(), at: begin)
        opening.expiresAt = begin.adding(seconds: 3600)
        opening.idleMilliseconds = 0
        let count = choices.draw(below: 16)
        let rest = (0..<count).map { _ in SharingProperties.event(&choices) }
        return [OfflineGrant.Event.opened(opening)] + rest
    }

    private static func event(_ choices: inout Choices) -> OfflineGrant.Event {
        let client = choices.one(of: clients)
        switch choices.draw(below: 3) {
        case 0:
            var joined = choices.clientJoined(at: begin)
            joined.client = client
            // There is none here.
            joined.deviceSecret = nil
            return .clientJoined(joined)
        case 1:
            var issued = choices.urlIssued(at: begin)
            issued.client = client
            return .urlIssued(issued)
        default: return .clientLeft(client, choices.any(OfflineGrant.LeaveReason.self))
        }
    }

    /// An event that can follow, and the session after it.
    private struct Moment {
        var event: OfflineGrant.Event
        var session: OfflineGrant.Session
    }

    private static func moments(_ log: [OfflineGrant.Event]) throws -> [Moment] {
        var state = OfflineGrant.initial
        var moments: [Moment] = []
        for event in log {
            guard let next = OfflineGrant.evolve(state, by: event) else { continue }
            state = next
            let session = try #require(state.openSession)
            moments.append(Moment(event: event, session: session))
        }
        return moments
    }

    private static func depth(in event: OfflineGrant.Event) -> UInt8? {
        switch event {
        case .clientJoined(let joined): joined.depth
        case .urlIssued(let issued): issued.depth
        default: nil
        }
    }

    @Test("the furthest that anybody was is the greatest depth in its events, whoever has left")
    func furthest() throws {
        try forAll(Self.logs, runs: 500) { log in
            var furthest: UInt8 = 0
            for moment in try Self.moments(log) {
                furthest = max(furthest, Self.depth(in: moment.event) ?? 0)
                #expect(moment.session.furthest == furthest)
                for known in moment.session.clients { #expect(known.depth <= furthest) }
            }
        }
    }

    /// How far away the client is once it comes by its own id token; nil: it may not.
    private static func depth(of client: ClientID, backIn session: OfflineGrant.Session) -> UInt8? {
        let url = OfflineGrant.URLIssued(client: client, depth: 0, url: Sample.stream(9), at: begin)
        let state = OfflineGrant.State.open(Shared(session))
        let events = try? OfflineGrant.decide(.share(.issueURL(url, hint: client)), in: state)
        guard let event = events?.first else { return nil }
        return depth(in: event)
    }

    @Test("who comes back by its own id token is no nearer than when it left") func back() throws {
        var backs = 0
        try forAll(Self.logs, runs: 500) { log in
            var before: [ClientID: UInt8] = [:]
            for moment in try Self.moments(log) {
                for known in moment.session.clients { before[known.client] = known.depth }
                for (client, depth) in before {
                    guard let now = Self.depth(of: client, backIn: moment.session) else { continue }
                    if moment.session.known(client) == nil { backs += 1 }
                    #expect(now >= depth)
                }
            }
        }
        // Unless the first client was put out, or nobody left.
        #expect(backs > 100, "\(backs) came back")
    }

    private static func flat(_ event: OfflineGrant.Event) -> OfflineGrant.Event {
        switch event {
        case .clientJoined(var joined):
            joined.depth = 0
            return .clientJoined(joined)
        case .urlIssued(var issued):
            issued.depth = 0
            return .urlIssued(issued)
        default: return event
        }
    }

    @Test("but for how far they are, a fold takes no notice of depths") func rest() throws {
        try forAll(Self.logs, runs: 500) { log in
            let deep = try Self.moments(log)
            let flat = try Self.moments(log.map(Self.flat))
            #expect(deep.count == flat.count)
            for (one, other) in zip(deep, flat) {
                #expect(Self.flat(one.event) == other.event)
                var session = one.session
                session.furthest = 0
                for index in session.clients.indices { session.clients[index].depth = 0 }
                #expect(session == other.session)
            }
        }
    }
}
