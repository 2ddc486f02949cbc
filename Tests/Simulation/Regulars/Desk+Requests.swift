import Domain
import Issuing
import OAuth

// What servers ask, one request each; who they are is found out as the listener does it.
extension Desk {
    private static let endpoint = "https://auth.example.com/oauth2/"

    /// At the token endpoint.
    func ask(_ plan: Deed.Plan, _ fields: [(String, String)], _ proof: Proof)
        async -> PhoneReply.Tokens?
    {
        let number = model.begin(plan)
        let request = RequestParameters(Phone.form(fields + proof.fields))
        let signer = installation.signer
        let reply = await clients.ask(installation.anyIssuer()) { node -> PhoneReply in
            do throws(OAuthError) {
                let caller = try node.caller(provenBy: request, at: Self.endpoint + "token")
                let response = try await node.endpoint.respond(to: request, from: caller)
                return .granted(PhoneReply.Tokens(response, signer))
            } catch { return PhoneReply(error) }
        }
        model.end(number, (reply ?? .unknown).answer)
        let tokens = reply?.tokens
        if let access = tokens?.access, !installation.checks.log.tokens.contains(access.token) {
            model.broken("I16", "success without a commit", model.deeds[number])
        }
        return tokens
    }

    func push(_ proof: Proof) async {
        let form = Phone.form(
            [
                ("redirect_uri", Fixtures.redirectURI), ("response_type", "code"),
                ("scope", "openid offline_access"), ("state", "s"),
                ("code_challenge", Phone.codeChallenge), ("code_challenge_method", "S256"),
            ] + proof.fields
        )
        let signer = installation.signer
        await ask(.serverPush, proof, form, at: "par") { node, caller throws(OAuthError) in
            let pushing = PushRequest(node.signIn, signer: signer)
            _ = try await pushing.push(RequestParameters(form), from: caller)
        }
    }

    /// Whatever the answer is, it is one to who has proven themselves.
    func introspect(_ proof: Proof) async {
        let token = session?.refreshToken ?? Array("no".utf8)
        let form = Phone.form([("token", Clients.text(token))] + proof.fields)
        let act = Deed.Act.serverIntrospection
        await ask(act, proof, form, at: "introspect") { node, caller throws(OAuthError) in
            _ = try await node.introspection.introspect(token, for: caller)
        }
    }

    /// Of a token that nobody has.
    func revoke(_ proof: Proof) async {
        let token = Array("no".utf8)
        let form = Phone.form([("token", Clients.text(token))] + proof.fields)
        let act = Deed.Act.serverRevocation
        await ask(act, proof, form, at: "revoke") { node, caller throws(OAuthError) in
            _ = try await node.revocation.revoke(
                Revocation.Request(
                    token: token,
                    asker: .client(caller.client, assertion: caller.assertion),
                    project: caller.project,
                    deadline: caller.deadline
                )
            )
        }
    }

    private func ask(
        _ act: Deed.Act,
        _ proof: Proof,
        _ form: Form,
        at path: String,
        _ body: @escaping @Sendable (IssuerProcess, Caller) async throws(OAuthError) -> Void
    ) async {
        var plan = Deed.Plan(act)
        plan.spends = [proof.artefact]
        let number = model.begin(plan)
        let request = RequestParameters(form)
        let answer = await clients.ask(installation.anyIssuer()) { node -> Deed.Answer in
            do throws(OAuthError) {
                try await body(node, node.caller(provenBy: request, at: Self.endpoint + path))
                return .passed
            } catch { return PhoneReply(error).answer }
        }
        model.end(number, answer ?? .unknown)
    }
}

extension IssuerProcess {
    /// Also in a suspended project, which the listener would name first: the use cases must do so
    /// anyway.
    fileprivate func caller(provenBy request: RequestParameters, at endpoint: String)
        throws(OAuthError) -> Caller
    {
        guard let project = projects.all.first else {
            throw OAuthError(.temporarilyUnavailable, "no project")
        }
        let (client, assertion) = try authentication.authenticate(
            request,
            authorization: nil,
            endpoint: endpoint,
            in: project,
            evenSuspended: true
        )
        return Caller(
            project: project,
            client: client,
            assertion: assertion,
            deadline: clock.deadline(inMilliseconds: 3000)
        )
    }
}
