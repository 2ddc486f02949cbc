import Domain
import InMemory
import Issuing
import OAuth

// @unchecked: touched by the one thread that runs the simulation.
/// Servers that prove themselves by what they sign (WireContract 5.1, 6.3): one with a user, and a
/// service.
final class Desk: @unchecked Sendable {
    static let (server, service) = ("desk", "service")

    let clients: Clients
    let model: DeedModel
    // Apart, so that seeds without them stay what they were.
    var dice: Dice
    private let entropy: SeededEntropy
    private var subject: SubjectID?
    /// What the user's login gave, whose refresh token is never replaced.
    private(set) var session: (thing: Thing, refreshToken: [UInt8])?
    private var signed = 0
    var world: World { clients.world }
    var installation: Installation { clients.installation }

    /// Nil in a seed without: two of five have them.
    init?(_ clients: Clients) {
        dice = Dice(seed: clients.world.seed, purpose: 21)
        guard dice.strikes(400) else { return nil }
        self.clients = clients
        model = clients.sharedModel()
        entropy = SeededEntropy(seed: clients.world.seed ^ 0xDE5C)
    }

    func live(turns: Int) async {
        await register()
        await signIn()
        for _ in 0..<(2 * turns) {
            await pause()
            await act()
        }
    }

    /// When all is well again everything answers.
    func probe() async {
        await serve(width: 1)
        await refresh(width: 1)
    }

    private func act() async {
        switch dice.draw(10) {
        case 0...2: await serve(width: width)
        case 3...5: await refresh(width: width)
        case 6...7: await askEverywhere()
        case 8: await serveLate()
        default: await signIn()
        }
    }

    private func pause() async {
        let milliseconds = dice.strikes(150) ? 9_000 + dice.draw(30_000) : dice.draw(400)
        await world.sleep(milliseconds: milliseconds, on: clients.process)
    }

    /// Mostly a few; now and then fifty.
    private var width: Int { dice.strikes(30) ? 50 : 1 + dice.draw(4) }

    private func race(_ width: Int, _ body: @escaping @Sendable () async -> Void) async {
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<width { group.addTask { await body() } }
        }
    }

    // MARK: - Assertions

    /// An assertion, good once, by all endpoints and nodes.
    struct Proof: Sendable {
        var text: [UInt8]
        var artefact: Artefact

        /// As parameters of a request.
        var fields: [(String, String)] {
            [
                (
                    "client_assertion_type",
                    "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
                ),
                ("client_assertion", Clients.text(text)),
            ]
        }
    }

    /// One that expires in so many seconds; less than none: it has.
    ///
    /// All else is right, but for who has signed it, and whom it is for.
    private func prove(
        _ client: String,
        seconds: Int64? = nil,
        by signer: String? = nil,
        to audience: String = "https://auth.example.com"
    ) -> Proof {
        signed += 1
        let life = seconds ?? 30 + Int64(dice.draw(560))
        let expiry = Instant(seconds: world.wallTime.seconds + life)
        let text = installation.assertions.sign(
            SignedAssertions.Assertion(
                client: client,
                signer: signer ?? client,
                audience: audience,
                id: "assertion-\(signed)",
                expiresAt: expiry
            )
        )
        let artefact = model.artefact("assertion", usedError: .invalidClient)
        let end = UInt64(max(0, expiry.microseconds - World.birth.microseconds)) * 1000
        // Clocks may differ by a minute: only then is it over for certain.
        model.artefacts[artefact.number].until = end
        model.artefacts[artefact.number].latest = end + 60_000_000_000
        return Proof(text: text, artefact: artefact)
    }

    // MARK: - What they do

    /// One assertion, sent more than once: one token.
    private func serve(width: Int) async {
        if dice.strikes(300) { await serveWrongly() }
        let proof = prove(Self.service)
        var plan = Deed.Plan(.serviceToken)
        plan.spends = [proof.artefact]
        let asked = plan
        await race(width) { [self] in _ = await ask(asked, [Self.credentials], proof) }
    }

    private static let credentials = ("grant_type", "client_credentials")

    /// None of these may pass.
    private func serveWrongly() async {
        var plan = Deed.Plan(.serviceToken)
        plan.isRight = false
        switch dice.draw(3) {
        case 0:
            let forged = prove(Self.service, by: Self.server)
            _ = await ask(plan, [Self.credentials], forged)
        case 1:
            let foreign = prove(Self.service, to: "https://elsewhere.example.com")
            _ = await ask(plan, [Self.credentials], foreign)
        default:
            let other = prove(Self.server)
            _ = await ask(plan, [Self.credentials, ("client_id", Self.service)], other)
        }
    }

    /// One that has expired by any clock.
    private func serveLate() async {
        let proof = prove(Self.service, seconds: -120)
        var plan = Deed.Plan(.serviceToken)
        plan.spends = [proof.artefact]
        _ = await ask(plan, [Self.credentials], proof)
    }

    private func refresh(width: Int) async {
        guard let session else { return await signIn() }
        let proof = prove(Self.server)
        var plan = Deed.Plan(.serverRefresh)
        plan.needs = [session.thing]
        if dice.strikes(300) { await refreshWrongly(plan, session.refreshToken, proof) }
        plan.spends = [proof.artefact]
        let (asked, fields) = (plan, Self.refreshing(session.refreshToken))
        await race(width) { [self] in _ = await ask(asked, fields, proof) }
    }

    /// None of these may pass, or use the assertion up.
    private func refreshWrongly(_ right: Deed.Plan, _ token: [UInt8], _ proof: Proof) async {
        var plan = right
        plan.isRight = false
        if dice.strikes(500) {
            _ = await ask(plan, Self.refreshing(Clients.damaged(token)), proof)
        } else {
            _ = await ask(plan, Self.refreshing(token), prove(Self.server, by: Self.service))
        }
    }

    static func refreshing(_ token: [UInt8]) -> [(String, String)] {
        [("grant_type", "refresh_token"), ("refresh_token", Clients.text(token))]
    }

    /// One assertion at four endpoints at once: one of them takes it.
    private func askEverywhere() async {
        let proof = prove(Self.server)
        async let pushed: Void = push(proof)
        async let looked: Void = introspect(proof)
        async let revoked: Void = revoke(proof)
        async let refreshed: Void = refresh(proof)
        _ = await (pushed, looked, revoked, refreshed)
    }

    private func refresh(_ proof: Proof) async {
        guard let session else { return }
        var plan = Deed.Plan(.serverRefresh)
        plan.needs = [session.thing]
        plan.spends = [proof.artefact]
        _ = await ask(plan, Self.refreshing(session.refreshToken), proof)
    }

    // MARK: - Its user

    /// Known to the project, once somebody has heard so.
    private func register() async {
        let installation = installation
        for _ in 0..<8 where subject == nil {
            let id = SubjectID(.permanent(at: world.wallTime, from: entropy))
            let isIn = await clients.ask(installation.anyIssuer()) { node -> Bool in
                let deadline = node.clock.deadline(inMilliseconds: 3000)
                let key = try? await installation.sealer.key(
                    id.stream,
                    of: installation.projectNumber,
                    by: deadline
                )
                let address = Array("desk@example.com".utf8)
                guard let email = key?.seal(address, as: .email(of: id)) else { return false }
                let clock = node.clock
                // Of each attempt: what is decided again is decided then.
                return await node.run(Subject.self, id.stream) { _ in
                    .register(source: .loginLink, email: email, emailVerified: true, at: clock.now)
                }
            }
            if isIn == true { subject = id }
        }
    }

    /// The user logs in: another session, which takes the former's place here.
    private func signIn() async {
        guard let subject else { return }
        let scope = "openid offline_access"
        let code = model.artefact("code", seconds: 60, usedError: .invalidGrant)
        let text = await clients.code(of: Self.server, for: subject, scope: scope, from: entropy)
        guard let text else { return }
        let proof = prove(Self.server)
        var plan = Deed.Plan(.serverSignIn)
        plan.spends = [code, proof.artefact]
        let fields = [
            ("grant_type", "authorization_code"), ("code", Clients.text(text)),
            ("redirect_uri", Fixtures.redirectURI), ("code_verifier", Clients.verifier),
        ]
        guard let token = await ask(plan, fields, proof)?.refreshToken else { return }
        session = (model.thing("server's session"), token)
    }
}
