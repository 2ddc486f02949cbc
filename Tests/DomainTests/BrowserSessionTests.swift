import Domain
import TestSupport
import Testing

@Suite("BrowserSession") struct BrowserSessionTests {
    static let hour = 3600.0
    static let day = 24 * hour
    static let session = opened(idleHours: 168)
    static let cookie = Sample.digest(7)
    static let joined = BrowserSession.Joined(
        client: Sample.client("app"),
        grant: Sample.session(8)
    )
    static let again = Authentication(
        methods: [.otp],
        at: Sample.time(day),
        approval: .anyDevice
    )
    static let open = [BrowserSession.Event.opened(session)]
    static let ended = open + [.ended(.logout)]
    static let endOfIdle = Sample.time(7 * day)
    static let endOfLife = Sample.time(30 * day)

    static func opened(idleHours: Int64) -> BrowserSession.Session {
        BrowserSession.Session(
            subject: Sample.subject(1),
            authentication: Authentication(
                methods: [.otp],
                at: Sample.time(0),
                approval: .sameDevice
            ),
            cookie: Sample.digest(1),
            parent: Parent(kind: .loginLink, stream: Sample.stream(2)),
            openedAt: Sample.time(0),
            expiresAt: Sample.time(30 * day),
            idleMilliseconds: idleHours * 3_600_000
        )
    }

    static func reauthenticate(
        subject: SubjectID = session.subject,
        at: Instant = Sample.time(day)
    ) -> BrowserSession.Command {
        .reauthenticate(again, subject: subject, cookie: cookie, at: at)
    }

    @Test("opens, renews, ends", arguments: living)
    func lives(_ row: Scenario<BrowserSession>) { row.check() }

    @Test("is seen", arguments: seeing)
    func sees(_ row: Scenario<BrowserSession>) { row.check() }

    @Test("lives until it was long not seen, or its whole life is over") func isLive() {
        let late = Self.open + [.seen(at: Sample.time(29 * Self.day))]
        let rows: [([BrowserSession.Event], Instant, Bool)] = [
            (Self.open, Sample.time(7 * Self.day - 1), true),
            (Self.open, Self.endOfIdle, false),
            (Self.open + [.seen(at: Sample.time(6 * Self.day))], Sample.time(12 * Self.day), true),
            (late, Sample.time(30 * Self.day - 1), true), (late, Self.endOfLife, false),
        ]
        for (history, now, lives) in rows {
            guard case .open(let session) = BrowserSession.fold(history) else {
                Issue.record("not open")
                return
            }
            #expect(session.value.isLive(at: now) == lives, "\(history) at \(now)")
        }
    }

    @Test("only possible events follow") func follows() {
        var pairs = Successions<BrowserSession>([
            "opened": .opened(Self.session),
            "cookie rotated": .cookieRotated(Self.cookie, .privilege),
            "reauthenticated": .reauthenticated(
                Self.again,
                cookie: Self.cookie,
                at: Sample.time(Self.day)
            ),
            "seen": .seen(at: Sample.time(Self.day)), "joined": .clientJoined(Self.joined),
            "ended": .ended(.logout),
        ])
        pairs.after("absent", [], may: ["opened"])
        pairs.after(
            "open",
            Self.open,
            may: ["cookie rotated", "reauthenticated", "seen", "joined", "ended"]
        )
        pairs.after("ended", Self.ended, may: [])
        pairs.check()
    }

    @Test("a new login brings a new cookie and a new idle life, and is the one that counts")
    func renewal() throws {
        let at = Sample.time(Self.day)
        let history = Self.open + [.reauthenticated(Self.again, cookie: Self.cookie, at: at)]
        guard case .open(let session) = BrowserSession.fold(history) else {
            Issue.record("not open")
            return
        }
        #expect(session.value.cookie == Self.cookie)
        #expect(session.value.authentication == Self.again)
        #expect(session.value.lastSeenAt == at)
    }

    @Test("a changed privilege brings a new cookie") func rotation() {
        let history = Self.open + [.cookieRotated(Self.cookie, .privilege)]
        guard case .open(let session) = BrowserSession.fold(history) else {
            Issue.record("not open")
            return
        }
        #expect(session.value.cookie == Self.cookie)
    }

    @Test("of more clients than are kept the newest stay") func manyClients() {
        let all = (0..<300).map {
            BrowserSession.Joined(
                client: Sample.client("app"),
                grant: Sample.session(UInt64($0))
            )
        }
        let history = Self.open + all.map(BrowserSession.Event.clientJoined)
        guard case .open(let session) = BrowserSession.fold(history) else {
            Issue.record("not open")
            return
        }
        #expect(session.value.joined == Array(all.suffix(256)))
    }

    @Test("other aggregates' events are not its own") func unwraps() {
        #expect(BrowserSession.unwrap(BrowserSession.wrap(.ended(.idle))) == .ended(.idle))
        #expect(BrowserSession.unwrap(.subject(.enabled(at: Instant(microseconds: 0)))) == nil)
    }
}

extension BrowserSessionTests {
    static let living: [Scenario<BrowserSession>] = [
        Scenario("a login opens it", when: .open(session), then: .success(open)),
        Scenario(
            "it is opened once",
            given: open,
            when: .open(session),
            then: .failure(.alreadyOpen)
        ),
        Scenario(
            "it is never reopened",
            given: ended,
            when: .open(session),
            then: .failure(.alreadyOpen)
        ),
        Scenario(
            "its subject logs in again",
            given: open,
            when: reauthenticate(),
            then: .success([.reauthenticated(again, cookie: cookie, at: Sample.time(day))])
        ),
        Scenario(
            "another subject does not take it over",
            given: open,
            when: reauthenticate(subject: Sample.subject(9)),
            then: .failure(.otherSubject)
        ),
        Scenario(
            "an idle one is not renewed",
            given: open,
            when: reauthenticate(at: endOfIdle),
            then: .failure(.expired)
        ),
        Scenario(
            "an ended one is not renewed",
            given: ended,
            when: reauthenticate(),
            then: .failure(.ended)
        ),
        Scenario("none is not renewed", when: reauthenticate(), then: .failure(.unknown)),
        Scenario(
            "a client joins",
            given: open,
            when: .join(joined),
            then: .success([.clientJoined(joined)])
        ),
        Scenario(
            "a client joins once",
            given: open + [.clientJoined(joined)],
            when: .join(joined),
            then: .success([])
        ),
        Scenario(
            "nobody joins what is over",
            given: ended,
            when: .join(joined),
            then: .failure(.ended)
        ),
        Scenario("nobody joins nothing", when: .join(joined), then: .failure(.unknown)),
        Scenario("it ends", given: open, when: .end(.logout), then: .success([.ended(.logout)])),
        Scenario("it ends once", given: ended, when: .end(.revoked), then: .success([])),
        Scenario("nothing ends", when: .end(.logout), then: .failure(.unknown)),
    ]

    static let seeing: [Scenario<BrowserSession>] = [
        Scenario(
            "of seven idle days, seven hours go unrecorded",
            given: open,
            when: .see(at: Sample.time(8.4 * hour - 1)),
            then: .success([])
        ),
        Scenario(
            "then it is recorded",
            given: open,
            when: .see(at: Sample.time(8.4 * hour)),
            then: .success([.seen(at: Sample.time(8.4 * hour))])
        ),
        Scenario(
            "of ten idle hours, one hour goes unrecorded",
            given: [.opened(opened(idleHours: 10))],
            when: .see(at: Sample.time(hour - 1)),
            then: .success([])
        ),
        Scenario(
            "of one idle hour, half: recorded hourly it would end in use",
            given: [.opened(opened(idleHours: 1))],
            when: .see(at: Sample.time(0.5 * hour)),
            then: .success([.seen(at: Sample.time(0.5 * hour))])
        ),
        Scenario(
            "an idle one is not seen",
            given: open,
            when: .see(at: endOfIdle),
            then: .failure(.expired)
        ),
        Scenario(
            "an ended one is not seen",
            given: ended,
            when: .see(at: Sample.time(1)),
            then: .failure(.ended)
        ),
        Scenario("none is not seen", when: .see(at: Sample.time(1)), then: .failure(.unknown)),
    ]
}
