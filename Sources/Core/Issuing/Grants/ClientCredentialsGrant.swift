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
    private func currentClient(_ caller: Caller)
        async throws(OAuthError) -> (ClientSettings, at: Instant)
    {
        do {
            return try await commands.run(caller.request, on: caller.project.configuration.stream) {
                (work: inout Work) async throws(CommandError<OAuthError>) in
                let configuration = try await work.loading(
                    ProjectConfig.self,
                    work.project.configuration.stream
                )
                guard configuration.version == work.project.configuration.version else {
                    throw .store(.conflict)
                }
                return (try await work.admit(caller, names), work.now)
            }
        } catch { throw OAuthError(error) }
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
