import Domain
import InMemory
import Issuing
import OAuth
import TestSupport
import Testing

/// An id token by a key that another node's operator has just made the one that signs.
@Suite("A hint by a key that this node has not heard of") struct UnheardKeyTests {
    /// The project as the log has it: `next` signs, which this node does not know yet.
    private static func rotated(_ side: SignInSide) -> Project {
        let now = side.project
        let key = SigningKeyRing.Key(
            kid: "next",
            algorithm: .es256,
            publicKey: Array("{}".utf8),
            status: .current,
            stagedAt: side.clock.now
        )
        return Project(
            number: now.number,
            settings: now.settings,
            digest: now.digest,
            configuration: now.configuration,
            keys: SigningKeyRing.State(keys: [key]),
            keysStream: now.keysStream,
            keysVersion: now.keysVersion + 2
        )
    }

    /// Of a session that nobody has opened, unless it says which.
    private static func hint(
        _ side: SignInSide,
        for project: Project,
        of session: SessionID? = nil,
        _ subject: SubjectID? = nil
    ) throws -> String {
        let nobody = SubjectID(.permanent(at: side.clock.now, from: SeededEntropy(seed: 1)))
        let none = SessionID(.timeOrdered(at: side.clock.now, from: SeededEntropy(seed: 2)))
        let claims = IDTokenClaims(
            subject: subject ?? nobody,
            audience: try Fixture.some(ClientID("web")),
            issuedAt: side.clock.now,
            expiresAt: side.clock.now.adding(seconds: 300),
            authentication: Authentication(methods: [.otp], at: side.clock.now.wholeMilliseconds),
            session: session ?? none
        )
        let token = try side.signer.sign(claims, beside: nil, with: .es256, for: project)
        return String(decoding: token, as: UTF8.self)
    }

    @Test("is looked up before it is refused") func lookedUp() async throws {
        let side = try await SignInSide()
        let project = Self.rotated(side)
        let changes = ["id_token_hint": try Self.hint(side, for: project)]
        var browser = TestBrowser(side)
        side.projects.replaceLater(project)
        guard case .login = try await browser.authorize("web", changes) else {
            return #expect(Bool(false))
        }
        #expect(side.project.keysVersion == project.keysVersion)
    }

    @Test("that the log has not either is refused") func unknown() async throws {
        let side = try await SignInSide()
        let changes = ["id_token_hint": try Self.hint(side, for: Self.rotated(side))]
        var browser = TestBrowser(side)
        await #expect(throws: AuthorizationRefusal.self) {
            try await browser.authorize("web", changes)
        }
    }

    @Test("is looked up before a logout says that it is done") func logout() async throws {
        let side = try await SignInSide()
        var owner = TestBrowser(side)
        _ = try await owner.signIn()
        let subject = try side.registered()
        let grant = try await side.openGrant(from: nil, subject)
        let project = Self.rotated(side)
        let hint = try Self.hint(side, for: project, of: grant, subject)
        let form = TestBrowser.form(["id_token_hint": hint])
        let stranger = TestBrowser(side).request
        let silent = side.context(projects: SilentProjects(known: side.projects))
        await expect(refusal: .temporarilyUnavailable) {
            try await EndSession(silent, signer: side.signer).start(form, stranger)
        }
        side.projects.replaceLater(project)
        let ending = EndSession(side.context, signer: side.signer)
        let answer = try await ending.start(form, stranger)
        guard case .confirm(let reference) = answer else {
            return #expect(Bool(false), "\(answer)")
        }
        let page = try await ending.confirmation(reference, stranger)
        _ = try await ending.confirm(reference, formToken: page.formToken, stranger)
        #expect(side.store.events(of: grant.stream).last == .offlineGrant(.revoked(.logout)))
    }
}

/// The projects of a node whose database does not answer.
private struct SilentProjects: ProjectDirectory {
    let known: InMemoryProjects

    func project(host: String) -> Project? { known.project(host: host) }
    func project(id: ProjectID) -> Project? { known.project(id: id) }
    var all: [Project] { known.all }

    func reload(_ number: ProjectNumber, by deadline: Deadline) async throws(StoreError) {
        throw .unavailable
    }

    func withCurrentKeys(_ project: Project, by deadline: Deadline)
        async throws(StoreError) -> Project
    { throw .unavailable }
}
