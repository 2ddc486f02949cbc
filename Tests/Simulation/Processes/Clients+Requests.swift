import Domain
import InMemory
import Issuing
import OAuth

extension Clients {
    /// How one token request is wrong, if it is.
    enum Flaw: Int, CaseIterable, Sendable { case client, redirectURI, verifier, secret, scope }

    static let verifier = "a-verifier-of-at-least-forty-three-characters"
    private static let otherVerifier = "another-verifier-of-forty-three-characters-x"

    // MARK: - Token endpoint

    func redeem(_ index: Int, flaw: Flaw? = nil) async -> Asked.Answer {
        let lineage = model.lineages[index]
        let code = flaw == .secret ? Self.damaged(lineage.code) : lineage.code
        let number = model.begin(.redeem, index, lineage.code, isRight: flaw == nil)
        let client = flaw == .client ? "other" : lineage.client
        let verifier = flaw == .verifier ? Self.otherVerifier : Self.verifier
        let uri = flaw == .redirectURI ? Fixtures.redirectURI + "/" : Fixtures.redirectURI
        let answer = await exchange(
            [
                "grant_type": "authorization_code", "code": Self.text(code),
                "redirect_uri": uri, "code_verifier": verifier,
            ],
            of: client
        )
        model.end(number, answer)
        return answer
    }

    func refresh(_ index: Int, _ token: [UInt8], scope: String? = nil, flaw: Flaw? = nil)
        async -> Asked.Answer
    {
        let isForeign = flaw == .client
        let sent = flaw == .secret ? Self.damaged(token) : token
        let number = model.begin(.refresh, index, token, isRight: flaw == nil, scope: scope)
        let answer = await exchange(
            [
                "grant_type": "refresh_token", "refresh_token": Self.text(sent),
                "scope": flaw == .scope ? Fixtures.fullScope : scope ?? "",
            ],
            of: isForeign ? "other" : model.lineages[index].client
        )
        model.end(number, answer)
        return answer
    }

    private func exchange(_ parameters: KeyValuePairs<String, String>, of client: String)
        async -> Asked.Answer
    {
        let request = RequestParameters(parameters)
        let signer = installation.signer
        let answer = await ask(installation.anyIssuer()) { node -> Asked.Answer in
            guard let caller = Self.caller(client, at: node) else { return .refused("client") }
            do {
                let response = try await node.endpoint.respond(to: request, from: caller)
                guard let access = response.accessToken,
                    let claims = signer.reading(access.text), let session = claims.session
                else { return .unknown }
                return .granted(
                    Asked.Granted(
                        refreshToken: response.refreshToken,
                        accessToken: access.text,
                        token: claims.token,
                        session: session,
                        scope: access.scope ?? "",
                        expiresAt: claims.expiresAt
                    )
                )
            } catch { return Self.answer(error) }
        }
        return answer ?? .unknown
    }

    // MARK: - Introspection and revocation

    func introspect(_ index: Int, _ token: [UInt8]) async {
        let number = model.begin(.introspect, index, token)
        let client = model.lineages[index].client
        let answer = await ask(installation.anyIssuer()) { node -> Asked.Answer in
            guard let caller = Self.caller(client, at: node) else { return .refused("client") }
            do throws(OAuthError) {
                if case .active = try await node.introspection.introspect(token, for: caller) {
                    return .active
                }
                return .inactive
            } catch { return Self.answer(error) }
        }
        model.end(number, answer ?? .unknown)
    }

    func revoke(_ index: Int, _ token: [UInt8], isAccess: Bool, byOther: Bool = false) async {
        let act: Asked.Act = isAccess ? .revokeAccess : .revoke
        let number = model.begin(act, index, token, isRight: !byOther)
        let client = byOther ? "other" : model.lineages[index].client
        let answer = await ask(installation.anyIssuer()) { node -> Asked.Answer in
            guard let caller = Self.caller(client, at: node) else { return .refused("client") }
            do throws(OAuthError) {
                try await node.revocation.revoke(
                    Revocation.Request(
                        token: token,
                        asker: .client(caller.client, assertion: nil),
                        project: caller.project,
                        deadline: caller.deadline
                    )
                )
                return .done
            } catch { return Self.answer(error) }
        }
        model.end(number, answer ?? .unknown)
    }

    // MARK: - Ends

    /// The browser-session ends, and with it what was opened from it.
    func logOut(_ browser: SessionID, of subject: SubjectID) async {
        let number = model.begin(.logOut, -1)
        let answer = await ask(installation.anyIssuer()) { node -> Asked.Answer in
            guard let project = node.projects.all.first else { return .unknown }
            let request = BrowserRequest(
                project: project,
                deadline: node.clock.deadline(inMilliseconds: 3000),
                address: NetworkAddress(limitKey: [192, 0, 2, 7], network: "192.0.2.0/24")
            )
            do throws(OAuthError) {
                let ending = EndBrowserSession(node.signIn)
                try await ending.end(browser, of: subject, .logout, request)
                return .done
            } catch { return Self.answer(error) }
        }
        model.end(number, answer ?? .unknown)
    }

    func disable(_ subject: SubjectID) async {
        let number = model.begin(.disableSubject, -1)
        let stream = subject.stream
        let done = await ask(installation.anyIssuer()) { node in
            await node.run(Subject.self, stream) { _ in .disable(.operator) }
        }
        model.end(number, done == true ? .done : .unknown)
    }

    /// The client `app` is disabled by a new configuration.
    func disableApp() async {
        let number = model.begin(.disableClient, -1)
        installation.prepare { settings in
            for index in settings.clients.indices
            where settings.clients[index].id.text.utf8.elementsEqual("app".utf8) {
                settings.clients[index].enabled = false
            }
        }
        let installation = installation
        let done = await ask(installation.anyIssuer()) { node in
            let id = installation.projectID
            let applied = ProjectConfig.Applied(
                id: id,
                digest: installation.digest(of: 2),
                document: [2]
            )
            let expected = installation.digest(of: 1)
            let stream = installation.project(version: 1).configuration.stream
            return await node.run(ProjectConfig.self, stream) { _ in
                .apply(applied, expected: expected, changed: ["oauth"])
            }
        }
        model.end(number, done == true ? .done : .unknown)
    }

    // MARK: - Values

    static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

    /// Never issued, but of a stream that there is.
    static func damaged(_ token: [UInt8]) -> [UInt8] {
        var token = token
        let place = token.count - 3
        token[place] = token[place] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
        return token
    }

    private static func answer(_ error: any Error) -> Asked.Answer {
        guard let error = error as? OAuthError else { return .unknown }
        switch error.code {
        case .temporarilyUnavailable, .serverError: return .unknown
        default: return .refused("\(error.code.rawValue)")
        }
    }
}
