import Domain
import HTTPServer
import InMemory
import Issuing
import OAuth
import TestSupport
import Testing
import WebAPI

@Suite("Erasing a user") struct AdminErasureTests {
    private static let body = #"{"reason":"asked for it"}"#

    @Test("ends everything they had, destroys what can be read, and is final")
    func erase() async throws {
        let admin = try await AdminSide()
        let side = admin.side
        let names = StreamNames(side.digester)
        let tokens = try await side.redeem(side.code())
        let email = try #require(EmailAddress("a@example.com".utf8))
        let address = names.loginID(email, in: side.project.number)
        try await Self.run(side, LoginID.self, address) {
            .claim(by: side.subject, kind: .email, value: Sample.sealed(1))
        }
        let app = Sample.client("app")
        let key = names.biometricKey("kid-0001", in: side.project.number)
        let registration = BiometricKey.Registration(
            subject: side.subject,
            client: app,
            kid: "kid-0001",
            key: DeviceKey(thumbprint: Sample.key(2), jwk: [1]),
            algorithm: "ES256",
            enabledAt: Sample.time(0)
        )
        try await Self.run(side, BiometricKey.self, key) { .enable(registration) }
        let consent = names.consent(side.subject, app, in: side.project.number)
        try await Self.run(side, Consent.self, consent) { .give(app, Sample.scope("openid")) }

        try await Self.run(side, BrowserSession.self, side.browser.stream) {
            .join(BrowserSession.Joined(client: app, grant: Sample.session(1)))
        }

        let answer = try await admin.send(
            .post,
            "/admin/v1/subjects/\(side.subject)/erase",
            as: .operate,
            body: Self.body
        )
        #expect(answer.status == 200 && answer.body == #"{"result":{}}"#)
        #expect(admin.personalData.destroyed == [side.subject])
        #expect(try await !side.isActive(tokens.accessToken?.text))
        #expect(side.store.events(of: side.subject.stream).last == .subject(.erased))
        #expect(
            side.store.events(of: address).last
                == .loginID(.released(by: side.subject, .erasure))
        )
        #expect(side.store.events(of: consent).last == .consent(.withdrawn(app, by: .erasure)))
        #expect(side.store.events(of: key).last == .biometricKey(.disabled(.erasure)))
        let ends = side.store.allEvents.map(\.body)
        #expect(ends.contains(.offlineGrant(.revoked(.erasure))))
        #expect(ends.contains(.browserSession(.ended(.erasure))))
        let by = side.store.commits.last?.attributes
        #expect(by?.actor == .operator(name: "operate") && by?.reason == "asked for it")
        let found = try await admin.send(.get, "/admin/v1/subjects?email=a@example.com")
        #expect(found.body == #"{"result":{"subjects":[]}}"#)
    }

    @Test("again does what a failure left, and appends nothing else") func again() async throws {
        let admin = try await AdminSide()
        let path = "/admin/v1/subjects/\(admin.side.subject)/erase"
        #expect(try await admin.send(.post, path, body: Self.body).status == 200)
        let count = admin.side.store.commits.count
        #expect(try await admin.send(.post, path, body: Self.body).status == 200)
        #expect(admin.side.store.commits.count == count)
        #expect(admin.personalData.destroyed.count == 2)
        for action in ["enable", "disable"] {
            let path = "/admin/v1/subjects/\(admin.side.subject)/\(action)"
            #expect(try await admin.send(.post, path, body: Self.body).status == 409)
        }
    }

    @Test(
        "nobody is erased without a reason, or who is not there",
        arguments: [
            ("", #"{"reason":""}"#, 400), ("", "{}", 400),
            ("80000000-0000-8000-8000-000000000000", #"{"reason":"x"}"#, 404),
        ]
    )
    func refused(_ subject: String, _ body: String, _ status: Int) async throws {
        let admin = try await AdminSide()
        let subject = subject.isEmpty ? admin.side.subject.description : subject
        let path = "/admin/v1/subjects/\(subject)/erase"
        #expect(try await admin.send(.post, path, body: body).status == status)
        #expect(admin.personalData.destroyed.isEmpty)
    }

    /// A command whose events carry the subject, as those of a login do.
    private static func run<A: Aggregate>(
        _ side: TokenSide,
        _ aggregate: A.Type,
        _ stream: StreamID,
        _ command: () -> A.Command
    ) async throws {
        try await side.commands.run(
            aggregate,
            stream,
            in: side.project,
            for: side.subject,
            command
        )
    }
}
