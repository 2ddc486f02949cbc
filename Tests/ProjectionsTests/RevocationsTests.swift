import Domain
import EventFormat
import Projections
import TestSupport
import Testing

@Suite("Revocations") struct RevocationsTests {
    static func changes(_ event: DomainEvent) -> [Revocations.Change] {
        Revocations.changes(for: ReadModel.record([event], stream: 20, from: 7)[0])
    }

    @Test("a revoked grant kills every token of the session") func revoked() throws {
        guard case .put(let row) = Self.changes(.offlineGrant(.revoked(.codeReplay))).first else {
            Issue.record("no change")
            return
        }
        #expect(row.key == .session(Sample.session(20)))
        #expect(row.key.description == Sample.stream(20).description)
        #expect(row.client == nil)
        #expect(row.key.token == nil)
        #expect(row.subject == Sample.subject(1))
        #expect(row.project == Sample.number(3))
        #expect(row.reason == "code_replay")
        #expect(row.revokedAt == Sample.time(0))
        #expect(row.expiresAt == Sample.time(3660))
        #expect(row.logIndex == 7)
    }

    @Test("a revoked access token dies alone") func accessToken() throws {
        let event = OfflineGrant.Event.accessTokenRevoked(
            Sample.token(6),
            client: Sample.client("app"),
            expiresAt: Sample.time(900)
        )
        guard case .put(let row) = Self.changes(.offlineGrant(event)).first else {
            Issue.record("no change")
            return
        }
        #expect(row.key.description == "\(Sample.stream(20))/t:\(Sample.stream(6))")
        #expect(row.key.session == Sample.session(20))
        #expect(row.key.token == Sample.token(6))
        #expect(row.client == Sample.client("app"))
        #expect(row.reason == "token_revocation")
        #expect(row.expiresAt == Sample.time(3660))
    }

    @Test("a client that left, came again and is replaced within the second is no less dead")
    func leftAgain() throws {
        func row(_ reason: OfflineGrant.LeaveReason) throws -> Revocations.Revocation {
            let event = OfflineGrant.Event.clientLeft(Sample.client("app"), reason)
            switch try #require(Self.changes(.offlineGrant(event)).first) {
            case .put(let row): return row
            }
        }
        let (left, replaced) = (try row(.tokenRevocation), try row(.replaced))
        let begin = Instant(seconds: Sample.time(0).seconds)
        #expect(left.issuedBefore == begin.adding(seconds: 1))
        #expect(replaced.issuedBefore == begin)
        // It leaves as it comes in again, with a token of this second.
        #expect(try row(.clientRemoved).issuedBefore == begin)
        let both = replaced.replacing(left)
        #expect(both.issuedBefore == left.issuedBefore)
        #expect(both.reason == "replaced")
        #expect(left.replacing(replaced).issuedBefore == left.issuedBefore)
        // However often it leaves: what number it had first.
        var (second, third) = (replaced, replaced)
        (second.logIndex, third.logIndex) = (8, 9)
        #expect(left.firstLogIndex == nil)
        #expect(third.replacing(second.replacing(left)).firstLogIndex == 7)
    }

    @Test("an ended browser-session is dead, too") func browserSession() throws {
        guard case .put(let row) = Self.changes(.browserSession(.ended(.idle))).first else {
            Issue.record("no change")
            return
        }
        #expect(row.key == .session(Sample.session(20)))
        #expect(row.reason == "idle")
    }

    @Test("of all events four revoke") func others() {
        let all = Histories.log.map(\.body) + Histories.others
        let revoking = all.filter { !Self.changes($0).isEmpty }
        #expect(
            Set(revoking.map(\.storedType)) == [
                .offlineGrantRevoked, .offlineGrantAccessTokenRevoked, .offlineGrantClientLeft,
                .browserSessionEnded,
            ]
        )
    }

    @Test("each revokes once") func one() {
        for event in Histories.log { #expect(Revocations.changes(for: event).count <= 1) }
    }
}
