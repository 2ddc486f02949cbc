internal import Domain
package import OAuth

/// Gives a service a token of its own (RFC 6749 section 4.4, wire.md section 5.9).
///
/// It has no session: nothing is recorded but the assertion it was proven with, if any.
package struct ClientCredentialsGrant: GrantType {
    package static var names: [String] { ["client_credentials"] }
    package static let parameters: Set<String> = ["scope", "resource"]

    /// A token nobody can revoke lives an hour at most.
    package static let lifetimeSecondsMax: Int64 = 3600

    private let commands: CommandRunner
    private let signer: any TokenSigner
    private let names: StreamNames

    package init(commands: CommandRunner, signer: any TokenSigner, digester: any Digester) {
        self.commands = commands
        self.signer = signer
        names = StreamNames(digester)
    }

    package func exchange(_ request: TokenRequest, for caller: Caller)
        async throws(OAuthError) -> TokenResponse
    {
        let asked = try request.scope()
        let resources = try request.resources()
        let (client, now) = try await currentClient(caller)
        let scope = asked ?? client.allowedScopes
        guard scope.isSubset(of: client.allowedScopes) else {
            throw OAuthError(.invalidScope, "the scope is not allowed", refusal: "CC-001")
        }
        let lifetime = min(client.accessTokenLifetimeSeconds, Self.lifetimeSecondsMax)
        let claims = AccessTokenClaims(
            token: TokenID(.timeOrdered(at: now, from: commands.entropy)),
            subject: client.id.text,
            client: client.id,
            audience: try audience(resources, caller.project),
            scope: scope,
            issuedAt: now,
            expiresAt: now.adding(seconds: lifetime),
            confirmation: caller.confirmation
        )
        do {
            return TokenResponse(
                accessToken: TokenResponse.AccessToken(
                    text: try signer.sign(claims, for: caller.project),
                    type: caller.confirmation == nil ? .bearer : .dpop,
                    expiresInSeconds: lifetime,
                    scope: scope.tokens.isEmpty ? nil : scope.text
                )
            )
        } catch { throw OAuthError(error) }
    }

    /// The client as the log has it, and when that was: no append would notice that it was
    /// disabled, nor that the clock is wrong.
    ///
    /// A caller with nothing to spend costs a look at one head, together with others' looks, and
    /// waits for no other caller.
    private func currentClient(_ caller: Caller)
        async throws(OAuthError) -> (ClientSettings, at: Instant)
    {
        guard caller.assertion == nil, caller.proof == nil else {
            do {
                return try await commands.run(
                    caller.request,
                    on: caller.project.configuration.stream
                ) { (work: inout Work) async throws(CommandError<OAuthError>) in
                    (try await work.admit(caller, names), work.now)
                }
            } catch { throw OAuthError(error) }
        }
        let clock = commands.clock
        let liveness = Liveness(store: commands.store, projects: commands.projects, clock: clock)
        do throws(StoreError) {
            let now = clock.now
            let project = try await liveness.currentProject(caller.project, by: caller.deadline)
            // After the look: the clock may have stepped meanwhile.
            guard clock.problem == nil else { throw .unavailable }
            if let client = project.enabledClient(caller.client.id) { return (client, now) }
        } catch { throw OAuthError(error) }
        throw .invalidClient
    }

    /// The resources asked for, all known to the project; none: the issuer.
    private func audience(_ asked: [[UInt8]], _ project: Project) throws(OAuthError) -> [String] {
        guard !asked.isEmpty else { return [project.issuer] }
        let known = project.settings.resources.map(\.uri).filter { uri in
            asked.contains { $0.elementsEqual(uri.utf8) }
        }
        let isKnown = asked.allSatisfy { name in known.contains { name.elementsEqual($0.utf8) } }
        guard isKnown else { throw OAuthError(.invalidTarget, "the resource is unknown") }
        return known
    }
}
