import Domain
import InMemory
import Issuing

extension Clients {
    /// A code in the log, as of a login, or of one again in a session; nil where nobody heard that
    /// it is there.
    func code(
        of client: String,
        for subject: SubjectID,
        scope: String,
        renewing session: SessionID? = nil,
        approval: LoginLink.Approval? = nil,
        from entropy: SeededEntropy
    ) async -> [UInt8]? {
        let digester = installation.digester
        let secret = entropy.bytes(32)
        let text = await ask(installation.anyIssuer()) { node -> [UInt8]? in
            let now = node.clock.now
            let stream = StreamID.timeOrdered(at: now, from: entropy)
            let token = OpaqueToken(
                .authorizationCode,
                stream: stream,
                secret: secret,
                digester: digester
            )
            guard let id = ClientID(client), let uri = RedirectURI(Fixtures.redirectURI),
                let scope = Scope(scope)
            else { return nil }
            let ticket = AuthorizationCode.Ticket(
                client: id,
                redirectURI: uri,
                redirectURIGiven: true,
                scope: scope,
                secret: token.digest,
                codeChallenge: CodeChallenge(
                    digest: digester.sha256(Array(Clients.verifier.utf8))
                ),
                subject: subject,
                authentication: Authentication(
                    methods: [.otp],
                    at: now.wholeMilliseconds,
                    approval: approval
                ),
                parent: Parent(kind: .authorization, stream: stream),
                browserSession: nil,
                renews: session,
                expiresAt: now.adding(seconds: 60).wholeMilliseconds
            )
            let isIn = await node.run(AuthorizationCode.self, stream) { _ in .issue(ticket) }
            return isIn ? token.text : nil
        }
        return text.flatMap(\.self)
    }
}
