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
