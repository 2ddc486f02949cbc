import Domain
import InMemory
import Issuing
import OAuth

// What the browser of a regular asks, one request each.
extension Regular {
    func authorize(
        _ client: String,
        prompt: String? = nil,
        with cookie: OpaqueToken? = nil
    ) async -> Heard {
        let form = Phone.form(
            [
                ("client_id", client), ("redirect_uri", Fixtures.redirectURI),
                ("response_type", "code"), ("scope", "openid offline_access"), ("state", "s"),
                ("code_challenge", Phone.codeChallenge), ("code_challenge_method", "S256"),
            ] + (prompt.map { [("prompt", $0)] } ?? [])
        )
        return await page(with: cookie) { node, browser throws(OAuthError) in
            let authorize = Authorize(node.signIn, signer: node.signer)
            do throws(AuthorizationRefusal) {
                return Heard(try await authorize.start(form, browser))
            } catch { return Heard(error) }
        }
    }

    /// Any node, by the cookies of this browser; `cookie`: in the place of its own.
    func page(
        with cookie: OpaqueToken? = nil,
        _ body:
            @escaping @Sendable (IssuerProcess, BrowserRequest) async throws(OAuthError) ->
            Heard
    ) async -> Heard {
        let (transaction, session) = (transaction, cookie ?? login?.cookie)
        let heard = await clients.ask(installation.anyIssuer()) { node -> Heard in
            guard var browser = Phone.browser(at: node) else { return Heard(.unknown) }
            browser.transactions = transaction.map { [$0] } ?? []
            browser.session = session
            do throws(OAuthError) { return try await body(node, browser) } catch {
                return Heard(refusing: error)
            }
        }
        self.transaction = heard?.transaction ?? transaction
        return heard ?? Heard(.unknown)
    }

    /// At the token endpoint.
    func ask(_ plan: Deed.Plan, _ fields: [(String, String)], as client: String)
        async -> PhoneReply.Tokens?
    {
        let number = model.begin(plan)
        let request = RequestParameters(Phone.form(fields))
        let signer = installation.signer
        let reply = await clients.ask(installation.anyIssuer()) { node -> PhoneReply in
            guard let caller = Clients.caller(client, at: node) else { return .unknown }
            do {
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
}
