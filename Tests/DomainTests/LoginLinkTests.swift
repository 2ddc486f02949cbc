import Domain
import TestSupport
import Testing

@Suite("LoginLink") struct LoginLinkTests {
    static let request = requested(.automatic)
    static let open = [LoginLink.Event.requested(request)]
    static let confirm = [LoginLink.Event.requested(requested(.confirm))]
    static let deny = [LoginLink.Event.requested(requested(.deny))]
    static let approval = LoginLink.Event.approved(by: .native, sameDevice: true, generation: 1)
    static let approved = open + [approval]
    static let denied = open + [.denied(.user)]
    static let superseded = open + [.superseded(by: Sample.stream(9))]
    static let consumption = LoginLink.Event.consumed(authorization: request.authorization)
    static let consumed = approved + [consumption]
    static let resent = open + [.resent(generation: 2, at: Sample.time(60))]
    static let initiator = request.initiator
    static let inTime = Sample.time(599)
    static let tooLate = Sample.time(600)

    static func requested(_ mode: LoginLink.Mode) -> LoginLink.Request {
        LoginLink.Request(
            authorization: Sample.stream(1),
            client: Sample.client("app"),
            email: Sample.sealed(1),
            subject: Sample.subject(2),
            initiator: Sample.digest(3),
            mode: mode,
            number: 42,
            requestedAt: Sample.time(0),
            expiresAt: Sample.time(600)
        )
    }

    static func approve(
        sameDevice: Bool = true,
        generation: Int32 = 1,
        number: Int? = nil,
        at: Instant = inTime
    ) -> LoginLink.Command {
        .approve(
            by: .native,
            sameDevice: sameDevice,
            generation: generation,
            number: number,
            at: at
        )
    }

    @Test("opens and sends", arguments: sending) func sends(_ row: Scenario<LoginLink>) {
        row.check()
    }

    @Test("is approved", arguments: approving) func approves(_ row: Scenario<LoginLink>) {
        row.check()
    }

    @Test("ends", arguments: ending) func ends(_ row: Scenario<LoginLink>) { row.check() }

    @Test("is consumed", arguments: consuming) func consumes(_ row: Scenario<LoginLink>) {
        row.check()
    }

    @Test("only possible events follow") func follows() {
        var pairs = Successions<LoginLink>([
            "requested": .requested(Self.request),
            "resent": .resent(generation: 2, at: Sample.time(60)),
            "resent, a gap": .resent(generation: 3, at: Sample.time(60)),
            "mail": .mailSent(generation: 1, attempt: 1),
            "no mail": .mailFailed(generation: 1, attempt: 1, code: 550, final: true),
            "mail of no generation": .mailSent(generation: 9, attempt: 1),
            "approved": Self.approval,
            "approved, another": .approved(by: .native, sameDevice: true, generation: 9),
            "denied": .denied(.user), "superseded": .superseded(by: Sample.stream(9)),
            "consumed": Self.consumption,
            "consumed elsewhere": .consumed(authorization: Sample.stream(8)),
        ])
        let mails: Set = ["mail", "no mail"]
        pairs.after("absent", [], may: ["requested"])
        pairs.after(
            "requested",
            Self.open,
            may: mails.union(["resent", "approved", "denied", "superseded"])
        )
        pairs.after(
            "resent",
            Self.resent,
            may: mails.union(["resent, a gap", "denied", "superseded"])
        )
        pairs.after("approved", Self.approved, may: mails.union(["consumed"]))
        pairs.after("consumed", Self.consumed, may: mails)
        pairs.after("denied", Self.denied, may: mails)
        pairs.after("superseded", Self.superseded, may: mails)
        pairs.check()
    }

    /// Under which policy, by whom and where a link is approved; how near that is for the client
    /// that asked, and what it tells of the browser that waits.
    private static let nearness:
        [(LoginLink.Mode, LoginLink.Approver, Bool, LoginLink.Approval, LoginLink.Approval)] = [
            (.automatic, .browser, true, .sameDevice, .sameDevice),
            (.automatic, .browser, false, .anyDevice, .anyDevice),
            (.automatic, .native, true, .sameDevice, .anyDevice),
            (.automatic, .native, false, .anyDevice, .anyDevice),
            (.confirm, .browser, true, .sameDevice, .sameDevice),
            (.confirm, .browser, false, .number, .number),
            (.confirm, .native, true, .sameDevice, .anyDevice),
            (.confirm, .native, false, .number, .number),
            (.deny, .browser, true, .sameDevice, .sameDevice),
            (.deny, .native, true, .sameDevice, .anyDevice),
            // No command makes it.
            (.deny, .native, false, .anyDevice, .anyDevice),
        ]

    @Test("its login tells how near it was approved; by an app's key, nothing of the browser")
    func approvals() throws {
        let now = Sample.time(60)
        for (mode, approver, isSame, login, browsers) in Self.nearness {
            let history: [LoginLink.Event] = [
                .requested(Self.requested(mode)),
                .approved(by: approver, sameDevice: isSame, generation: 1),
            ]
            let state = try #require(LoginLink.fold(history))
            let row = "\(mode) \(approver) \(isSame)"
            #expect(
                state.login(at: now)
                    == Authentication(methods: [.otp], at: now, approval: login),
                "\(row)"
            )
            #expect(state.browsersLogin(at: now).approval == browsers, "\(row)")
            let opensSession = approver == .browser || !isSame || mode == .automatic
            #expect(state.request?.opensBrowserSession == opensSession, "\(row)")
        }
        #expect(LoginLink.fold(Self.open)?.login(at: now).approval == nil)
    }

    @Test("a policy takes the login that meets it, or a stricter one, and no other")
    func policies() {
        let taken: [(LoginLink.Mode, [LoginLink.Approval])] = [
            (.automatic, [.anyDevice, .number, .sameDevice]), (.confirm, [.number, .sameDevice]),
            (.deny, [.sameDevice]),
        ]
        for (mode, approvals) in taken {
            #expect(LoginLink.Approval.allCases.filter { mode.accepts($0) } == approvals)
        }
    }

    @Test("a link is born in its first generation") func firstGeneration() {
        var request = Self.request
        request.generation = 2
        #expect(LoginLink.evolve(.absent, by: .requested(request)) == nil)
    }

    @Test("other aggregates' events are not its own") func unwraps() {
        #expect(LoginLink.unwrap(LoginLink.wrap(Self.approval)) == Self.approval)
        #expect(LoginLink.unwrap(.subject(.enabled(at: Instant(microseconds: 0)))) == nil)
    }
}
