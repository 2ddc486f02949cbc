import Domain
import Projections
import TestSupport
import Testing

@Suite("Recorded sessions") struct RecordedSessionsTests {
    static let model = ReadModel.folding(Histories.log)

    @Test("a grant is one row") func grant() throws {
        let row = try #require(Self.model.sessions[Sample.session(20)])
        #expect(row.session.kind == .offlineGrant)
        #expect(row.session.client == Histories.client)
        #expect(row.session.subject == Sample.subject(1))
        #expect(row.session.project == Sample.number(3))
        #expect(row.session.parent == Parent(kind: .code, stream: Sample.stream(2)))
        #expect(row.session.openedAt == Sample.time(0))
        #expect(row.session.expiresAt == Sample.time(9999))
        #expect(row.seenAt == Sample.time(15))
        #expect(row.endedAt == Sample.time(20))
        #expect(row.reason == "reuse")
    }

    @Test("a browser-session is one row, of no client") func browserSession() throws {
        let row = try #require(Self.model.sessions[Sample.session(30)])
        #expect(row.session.kind == .browserSession)
        #expect(row.session.client == nil)
        #expect(row.session.parent == Parent(kind: .loginLink, stream: Sample.stream(4)))
        #expect(row.session.expiresAt == Sample.time(8888))
        #expect(row.seenAt == Sample.time(4))
        #expect(row.endedAt == Sample.time(5))
        #expect(row.reason == "logout")
    }

    @Test("every event of a session moves its row's version") func versions() {
        var model = ReadModel()
        for event in Histories.log {
            model.apply(event)
            #expect(model.sessions[SessionID(event.stream)]?.version == event.version)
        }
    }

    @Test("a client that comes in again has used the session") func again() {
        let token = OfflineGrant.AccessTokenIssue(
            token: Sample.token(5),
            client: Histories.client,
            scope: .empty,
            via: .continue,
            expiresAt: Sample.time(900)
        )
        let event = ReadModel.record([.offlineGrant(.accessTokenIssued(token))], stream: 20)[0]
        #expect(
            RecordedSessions.changes(for: event)
                == [.see(Sample.session(20), version: event.version, at: event.occurredAt)]
        )
    }

    @Test("other events move nothing") func others() {
        for event in ReadModel.record(Histories.others, stream: 20) {
            #expect(RecordedSessions.changes(for: event).isEmpty)
        }
    }
}

@Suite("Replay") struct ReplayTests {
    @Test("the same log gives the same rows") func replay() {
        let once = ReadModel.folding(Histories.log)
        #expect(!once.revocations.isEmpty)
        #expect(ReadModel.folding(Histories.log + Histories.log) == once)
    }

    @Test("a client that left twice is one row of both") func merged() throws {
        let key = Revocations.Key.client(Sample.session(20), Histories.guest).description
        let row = try #require(ReadModel.folding(Histories.log).revocations[key])
        #expect(row.logIndex == 16)
        #expect(row.firstLogIndex == 14)
        #expect(row.reason == "token_revocation")
    }

    @Test("a run that comes again from anywhere gives the same rows") func duplicates() {
        let log = Histories.log
        let once = ReadModel.folding(log)
        for start in log.indices {
            #expect(ReadModel.folding(log + log[start...]) == once, "from \(start)")
        }
    }
}
