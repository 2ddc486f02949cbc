import Domain
import InMemory
import Issuing
import OAuth
import TestSupport
import Testing

/// What finds nothing to do beside what it records, at a node that has not heard of what happened a
/// moment ago (Security I4, I9).
@Suite("A node that is behind") struct StaleNodeTests {
    /// The commands of a node that remembers the session of `token` as it is now.
    private static func node(_ side: TokenSide, behind token: [UInt8]?) async throws
        -> (CommandRunner, SessionID)
    {
        let presented = RefreshToken(reading: token ?? [], digester: side.digester)
        let session = try #require(presented).session
        let store = try await StaleStore<OfflineGrant>(side.store, remembering: session.stream)
        return (side.commands(over: store), session)
    }

    /// A request, and a proof that it uses up.
    private static func asking(_ side: TokenSide) -> (CommandRequest, SingleUse) {
        (
            CommandRequest(
                project: side.project,
                attributes: EventAttributes(actor: .system),
                deadline: Fixture.noDeadline
            ),
            SingleUse(
                purpose: .dpop,
                stream: .timeOrdered(at: side.clock.now, from: side.entropy),
                expiresAt: side.clock.now.adding(seconds: 60).wholeMilliseconds
            )
        )
    }

    @Test("ends the session of a token that it has not heard of, for a client that signs")
    func revocation() async throws {
        let side = try await TokenSide()
        let first = try await side.redeem(side.code())
        let (commands, _) = try await Self.node(side, behind: first.refreshToken)
        let second = try await side.refresh(first.refreshToken)
        let assertion = VerifiedAssertion(
            id: Array("once".utf8),
            expiresAt: side.clock.now.adding(seconds: 60)
        )
        let revocation = Revocation(
            commands: commands,
            signer: side.signer,
            digester: side.digester
        )
        try await revocation.revoke(
            Revocation.Request(
                token: second.refreshToken ?? [],
                asker: .client(try side.caller("app").client, assertion: assertion),
                project: side.project,
                deadline: Fixture.noDeadline
            )
        )
        #expect(try await !side.isActive(second.accessToken?.text))
        await expect(refusal: .invalidGrant) { try await side.refresh(second.refreshToken) }
    }

    @Test("answers by what the log says of a session, with a proof to use up and without one")
    func answers() async throws {
        let side = try await TokenSide()
        let tokens = try await side.redeem(side.code())
        let (commands, session) = try await Self.node(side, behind: tokens.refreshToken)
        let before = try await Self.version(of: session, spending: true, commands, side)
        _ = try await side.refresh(tokens.refreshToken)
        for isSpending in [true, false] {
            let seen = try await Self.version(of: session, spending: isSpending, commands, side)
            #expect(seen > before, "with a proof: \(isSpending)")
        }
    }

    @Test("does not take a user for disabled who is enabled again, in what it records instead")
    func enabledAgain() async throws {
        let side = try await TokenSide()
        let stream = side.subject.stream
        try await side.run(Subject.self, stream) { .disable(.operator) }
        let store = try await StaleStore<Subject>(side.store, remembering: stream)
        let commands = side.commands(over: store)
        try await side.run(Subject.self, stream) { .enable(at: side.clock.now) }
        let (request, proof) = Self.asking(side)
        let subject = side.subject
        let isAlive = try await commands.run(request, on: proof.stream) {
            (work: inout Work) async throws(CommandError<OAuthError>) in
            try await work.spend(proof, refused: Self.used)
            do throws(CommandError<OAuthError>) {
                try await work.requireAlive(subject, nil, refused: Self.used)
            } catch {
                guard case .refused = error else { throw error }
                return false
            }
            return true
        }
        #expect(isAlive)
    }

    @Test("records a consent that was withdrawn at another node, though it remembers it as given")
    func withdrawnElsewhere() async throws {
        let side = try await SignInSide()
        var browser = TestBrowser(side)
        guard case .consent(let first) = try await browser.signIn(at: "third") else {
            return #expect(Bool(false))
        }
        let form = try await side.formToken(first, for: .consent, browser.request)
        _ = try await ContinueSignIn(side.context)
            .consent(browser.posted(first, form), allows: true, browser.request)
        let subject = try #require(side.store.commits.last?.attributes.subject)
        let again = try await browser.authorize("third", ["prompt": "consent"])
        guard case .consent(let id) = again else { return #expect(Bool(false), "\(again)") }

        let client = try #require(ClientID("third"))
        let stream = StreamNames(side.digester).consent(subject, client, in: side.project.number)
        let store = try await StaleStore<Consent>(side.store, remembering: stream)
        try await side.commands.run(Consent.self, stream, in: side.project, for: subject) {
            .withdraw(by: .user)
        }
        let behind = side.context(over: store)
        let posted = try await browser.posted(
            id,
            side.formToken(id, for: .consent, browser.request)
        )
        let answer = try await ContinueSignIn(behind).consent(posted, allows: true, browser.request)
        #expect(answer.step.response?["code"] != nil)
        let consent = try await side.store.load(Consent.self, stream, by: Fixture.noDeadline)
        #expect(consent.state != .withdrawn)
    }

    private static let used = OAuthError(.invalidDPoPProof, "the proof was used before")

    /// At which version of a session a command answers that only uses up a proof, or nothing.
    private static func version(
        of session: SessionID,
        spending: Bool,
        _ commands: CommandRunner,
        _ side: TokenSide
    ) async throws -> Int32 {
        let (request, proof) = Self.asking(side)
        return try await commands.run(request, on: session.stream) {
            (work: inout Work) async throws(CommandError<OAuthError>) in
            if spending { try await work.spend(proof, refused: Self.used) }
            return try await work.loading(OfflineGrant.self, session.stream).version
        }
    }
}
