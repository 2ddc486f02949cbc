import Domain
import TestSupport
import Testing

/// What the stream tells of a session's tokens: whether one came back, and who may hold a device
/// secret (decisions 0133 and 0146).
@Suite("Use of a session") struct OfflineGrantUseTests {
    private typealias Base = OfflineGrantTests
    private typealias Shared = OfflineGrantSharingTests

    private struct Unfolded: Error {}

    /// All that a code may give at once.
    private static let given =
        Shared.open + [
            .accessTokenIssued(Base.access), .deviceKeyBound(Base.deviceKey, insecure: false),
            .deviceLinked(Sample.session(9)),
        ]

    private static func session(after events: [OfflineGrant.Event]) throws -> OfflineGrant.Session {
        guard let session = OfflineGrant.fold(given + events)?.openSession else {
            throw Unfolded()
        }
        return session
    }

    @Test("is none by what its opening records") func opened() throws {
        #expect(try !Self.session(after: []).isUsed)
    }

    @Test("is what a client did with what it was given, also in the opening's instant")
    func used() throws {
        let url = OfflineGrant.URLIssued(
            client: Shared.web,
            depth: 0,
            url: Sample.stream(9),
            at: Sample.time(0)
        )
        let uses: [(String, [OfflineGrant.Event])] = [
            ("rotation", [Base.rotation(to: 2, at: 0)]),
            ("refresh without rotation", [.refreshed(Base.refreshed(1, secret: nil, at: 0))]),
            ("join", Shared.joined(Shared.guest, family: 2, at: 0)),
            ("approval", [.app2appApproved(Base.approval)]),
            ("URL", [.urlIssued(url)]),
            ("login", [.reauthenticated(Base.again, at: Sample.time(0))]),
        ]
        for (name, events) in uses {
            #expect(try Self.session(after: events).isUsed, "\(name)")
        }
    }

    @Test("the codes that let others in are kept in their order, and none once they are too many")
    func approvedCodes() throws {
        func session(after count: Int) throws -> OfflineGrant.Session {
            try Self.session(
                after: (0..<UInt64(count)).map { number in
                    var approval = Base.approval
                    approval.code = Sample.stream(7_000 + number)
                    return .app2appApproved(approval)
                }
            )
        }
        let max = OfflineGrant.approvedCodesMax
        for count in [0, 1, 2, max] {
            let codes = (0..<UInt64(count)).map { Sample.stream(7_000 + $0) }
            #expect(try session(after: count).approvedCodes == codes)
        }
        for count in [max + 1, max + 2] {
            #expect(try session(after: count).approvedCodes == nil)
        }
    }

    @Test("a device secret may be with whoever got one since, or while it was handed over")
    func handedOut() throws {
        let first = try #require(try Self.session(after: []).deviceSecret)
        #expect(first.mayBeHandedOut(since: Sample.time(0)))
        // The first one follows none: nobody is told it again.
        #expect(!first.mayBeHandedOut(since: Sample.time(0.001)))
        let events = [OfflineGrant.Event.deviceSecretIssued(Shared.second)]
        let second = try #require(try Self.session(after: events).deviceSecret)
        for (time, isWith) in [(99.0, true), (100, true), (159.999, true), (160, false)] {
            #expect(second.mayBeHandedOut(since: Sample.time(time)) == isWith, "\(time)")
        }
    }
}
