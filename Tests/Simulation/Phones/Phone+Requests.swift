import Domain
import InMemory
import Issuing
import OAuth

// What a phone asks, one request each.
extension Phone {
    struct Challenge: Sendable {
        var text: String
        var artefact: Artefact
    }

    struct Code: Sendable {
        var text: String
        var artefact: Artefact
        /// How the login was approved that it came of.
        var approval = Approval.unrecorded
    }

    struct Answered: Sendable {
        var number: Int
        var reply: PhoneReply

        var tokens: PhoneReply.Tokens? { reply.tokens }
    }

    static let tokenURL = "https://auth.example.com/oauth2/token"

    // MARK: - Single-use values

    func challenge(_ purpose: Challenges.Purpose) async -> Challenge? {
        for _ in 0..<5 {
            let artefact = model.artefact("challenge", seconds: 300)
            let text = await clients.ask(installation.anyIssuer()) { node -> [UInt8]? in
                guard let project = node.projects.all.first else { return nil }
                return node.grants.challenges.issue(purpose, in: project).text
            }
            if let text = text.flatMap(\.self) {
                return Challenge(text: Clients.text(text), artefact: artefact)
            }
        }
        return nil
    }

    /// The user logs in for an app, or again in a session of it: a code.
    func authorize(of client: String, renewing session: SessionID? = nil) async -> Code? {
        let artefact = model.artefact("code", seconds: 60, usedError: .invalidGrant)
        let scope = session == nil ? Fixtures.phoneScope : "openid device_sso"
        let approval = drawApproval()
        let text = await clients.code(
            of: client,
            for: subject,
            scope: scope,
            renewing: session,
            approval: approval.recorded,
            from: random
        )
        return text.map {
            Code(text: Clients.text($0), artefact: artefact, approval: approval)
        }
    }

    /// A proof of `key`, good once; `signer`: who has signed it, where that is somebody else.
    func proof(of key: DeviceKey, by signer: DeviceKey? = nil, at url: String = tokenURL)
        -> (text: [UInt8], artefact: Artefact)
    {
        let id = fresh("jti")
        let text = jwts.sign(
            .dpop,
            by: signer ?? key,
            embedded: key,
            [
                JSON.Member("htm", .string("POST")), JSON.Member("htu", .string(url)),
                JSON.Member("iat", .integer(world.wallTime.seconds)),
                JSON.Member("jti", .string(id)),
            ]
        )
        let artefact = model.artefact("proof", seconds: 300, usedError: .invalidDPoPProof)
        return (text, artefact)
    }

    /// The JWT of a device key: for app2app and at sign-in.
    func deviceJWT(
        _ challenge: Challenge,
        by key: DeviceKey,
        embedded: Bool = true,
        naming more: [JSON.Member] = []
    ) -> String {
        Clients.text(
            jwts.sign(
                .app2app,
                by: key,
                embedded: embedded ? key : nil,
                times + [JSON.Member("challenge", .string(challenge.text))] + more
            )
        )
    }

    var times: [JSON.Member] {
        let now = world.wallTime.seconds
        return [JSON.Member("iat", .integer(now)), JSON.Member("exp", .integer(now + 60))]
    }

    // MARK: - Token endpoint

    /// Asks, and lets the model judge the answer; `key`: what it proves.
    func ask(
        _ plan: Deed.Plan,
        _ grant: String,
        _ fields: [(String, String)],
        as client: String,
        key: DeviceKey? = nil,
        proof known: (text: [UInt8], artefact: Artefact)? = nil,
        bearer: [UInt8]? = nil
    ) async -> Answered {
        var plan = plan
        let proof = known ?? key.map { self.proof(of: $0) }
        if let proof { plan.spends.append(proof.artefact) }
        let number = model.begin(plan)
        let all = [("grant_type", grant)] + fields
        let request = RequestParameters(
            Form(fields: all.map { Form.Field(name: Array($0.0.utf8), value: Array($0.1.utf8)) })
        )
        let header = proof.map(\.text)
        let signer = installation.signer
        let reply = await clients.ask(installation.anyIssuer()) { node -> PhoneReply in
            guard var caller = Clients.caller(client, at: node) else { return .unknown }
            caller.proofRequest = header.map {
                DPoPProofs.Request(headers: [$0], method: "POST", url: Self.tokenURL)
            }
            caller.accessToken = bearer.map {
                AccessProofs.Presented(
                    token: $0,
                    scheme: .bearer,
                    request: DPoPProofs.Request(headers: [], method: "POST", url: Self.tokenURL)
                )
            }
            do {
                let response = try await node.endpoint.respond(to: request, from: caller)
                return .granted(PhoneReply.Tokens(response, signer))
            } catch { return PhoneReply(error) }
        }
        return finish(number, reply ?? .unknown, as: client)
    }

    private func finish(_ number: Int, _ reply: PhoneReply, as client: String) -> Answered {
        model.end(number, reply.answer, secret: reply.tokens?.secret)
        if let access = reply.tokens?.access {
            if !installation.checks.log.tokens.contains(access.token) {
                model.broken("I16", "success without a commit", model.deeds[number])
            }
            if let scope = Scope(access.scope), let most = PhoneClients.scope(of: client),
                !scope.isSubset(of: most)
            {
                model.broken("I7", "scope grew to \(access.scope)", model.deeds[number])
            }
        }
        return Answered(number: number, reply: reply)
    }

    func redeem(
        _ fields: [(String, String)],
        _ plan: Deed.Plan,
        as client: String,
        key: DeviceKey? = nil,
        verifier: String = Clients.verifier
    ) async -> Answered? {
        await ask(
            plan,
            "authorization_code",
            fields + [
                ("redirect_uri", Fixtures.redirectURI), ("code_verifier", verifier),
            ],
            as: client,
            key: key
        )
    }
}

extension PhoneReply.Tokens {
    init(_ response: TokenResponse, _ signer: StandInSigner) {
        refreshToken = response.refreshToken
        identity = response.idToken
        secret = response.deviceSecret
        code = response.code
        guard let access = response.accessToken else { return }
        guard let claims = signer.reading(access.text), let session = claims.session else {
            opaque = access.text
            return
        }
        let end = claims.expiresAt.microseconds - World.birth.microseconds
        self.access = Access(
            text: access.text,
            token: claims.token,
            session: session,
            scope: access.scope ?? "",
            until: UInt64(max(0, end)) * 1000
        )
    }
}
