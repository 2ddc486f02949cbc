internal import Domain
package import OAuth

/// Gives a service a token of its own (RFC 6749 section 4.4, WireContract 5.9).
///
/// It has no session: nothing is recorded but the assertion it was proven with, if any.
package struct ClientCredentialsGrant: GrantType {
    package static var names: [String] { ["client_credentials"] }
    package static let parameters: Set<String> = ["scope", "resource"]

    /// A token nobody can revoke lives an hour at most.
    package static let lifetimeSecondsMax: Int64 = 3600

    private let commands: CommandRunner
    private let signer: any TokenSigner

    package init(commands: CommandRunner, signer: any TokenSigner) {
        self.commands = commands
        self.signer = signer
    }

    package func exchange(_ request: RequestParameters, for caller: Caller)
        async throws(OAuthError) -> TokenResponse
    {
        let asked = Asked(scope: try request.scope(), resources: try request.resources())
        let (granted, now) = try await grant(asked, caller)
        let (client, scope) = (granted.client, granted.scope)
        let lifetime = min(client.accessTokenLifetimeSeconds, Self.lifetimeSecondsMax)
        let claims = AccessTokenClaims(
            token: TokenID(.timeOrdered(at: now, from: commands.entropy)),
            subject: client.id.text,
            client: client.id,
            audience: granted.audience,
            scope: scope,
            issuedAt: now,
            expiresAt: now.adding(seconds: lifetime),
            confirmation: caller.confirmation
        )
        do {
            return TokenResponse(
                accessToken: TokenResponse.AccessToken(
                    text: try signer.sign(claims, for: granted.project),
                    type: caller.confirmation == nil ? .bearer : .dpop,
                    expiresInSeconds: lifetime,
                    scope: scope.tokens.isEmpty ? nil : scope.text
                )
            )
        } catch { throw OAuthError(error) }
    }

    private struct Asked: Sendable {
        var scope: Scope?
        var resources: [[UInt8]]
    }

    private struct Granted: Sendable {
        /// As the log had it: a key that was given up since the request began signs nothing.
        var project: Project
        var client: ClientSettings
        var scope: Scope
        var audience: [String]
    }

    /// What the client gets, as the log has its settings, and when that was: no append would notice
    /// that it was disabled, nor that the clock is wrong.
    ///
    /// What is refused spends nothing. A caller with nothing to spend costs a look at one head,
    /// together with others' looks, and waits for no other caller.
    private func grant(_ asked: Asked, _ caller: Caller)
        async throws(OAuthError) -> (Granted, at: Instant)
    {
        guard caller.assertion == nil, caller.proof == nil else {
            do {
                return try await commands.run(
                    caller.request,
                    on: caller.project.configuration.stream
                ) { (work: inout Work) async throws(CommandError<OAuthError>) in
                    let client = try await work.admit(caller).value
                    work.require(work.project.ring)
                    do throws(OAuthError) {
                        return (try granted(asked, to: client, in: work.project), work.now)
                    } catch { throw .refused(error) }
                }
            } catch { throw OAuthError(error) }
        }
        let clock = commands.clock
        let liveness = Liveness(commands)
        let now = clock.now
        let project: Project
        do throws(StoreError) {
            project = try await liveness.currentProject(caller.project, by: caller.deadline)
            // After the look: the clock may have stepped meanwhile.
            guard clock.problem == nil else { throw .unavailable }
        } catch { throw OAuthError(error) }
        guard let client = project.enabledClient(caller.client.id)?.value else {
            throw OAuthError(about: caller.client.id, in: project)
        }
        guard project === caller.project || client.asksTheSame(as: caller.client) else {
            throw .otherSettings
        }
        return (try granted(asked, to: client, in: project), now)
    }

    private func granted(
        _ asked: Asked,
        to client: ClientSettings,
        in project: Project
    ) throws(OAuthError) -> Granted {
        let algorithm = project.settings.signingAlgorithm
        guard signer.canSign(with: algorithm, for: project) else {
            throw OAuthError(SigningError.noKey(algorithm))
        }
        let scope = asked.scope ?? client.allowedScopes
        guard scope.isSubset(of: client.allowedScopes) else {
            throw OAuthError(.invalidScope, "the scope is not allowed", refusal: "CC-001")
        }
        let audience = try Self.audience(asked.resources, project)
        return Granted(project: project, client: client, scope: scope, audience: audience)
    }

    /// The resources asked for, all known to the project; none: the issuer.
    private static func audience(_ asked: [[UInt8]], _ project: Project)
        throws(OAuthError) -> [String]
    {
        guard !asked.isEmpty else { return [project.issuer] }
        let known = project.settings.resources.map(\.uri).filter { uri in
            asked.contains { $0.elementsEqual(uri.utf8) }
        }
        let isKnown = asked.allSatisfy { name in known.contains { name.elementsEqual($0.utf8) } }
        guard isKnown else { throw OAuthError(.invalidTarget, "the resource is unknown") }
        return known
    }
}
