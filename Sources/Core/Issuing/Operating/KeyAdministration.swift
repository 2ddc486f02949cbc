package import Domain

/// Stages, promotes, removes and distrusts signing keys (security.md section 5).
package struct KeyAdministration: Sendable {
    let commands: CommandRunner
    private let vault: any KeyVault

    package init(commands: CommandRunner, vault: any KeyVault) {
        self.commands = commands
        self.vault = vault
    }

    /// The algorithms every new project gets a key of: RS256 because OpenID Connect discovery
    /// demands it (wire.md section 8.5).
    private static func initialAlgorithms(_ settings: ProjectSettings)
        -> [SigningKeyRing.Algorithm]
    {
        var algorithms = [settings.signingAlgorithm]
        for more in settings.clients.map(\.idTokenAlgorithm) + [.rs256]
        where !algorithms.contains(more) {
            algorithms.append(more)
        }
        return algorithms
    }

    /// The first keys of a project that is being made, and what makes them sign at once: nobody has
    /// cached an older set.
    func first(of project: Project) async throws(OperationError)
        -> @Sendable (Instant) -> [SigningKeyRing.Command]
    {
        var keys: [(algorithm: SigningKeyRing.Algorithm, key: GeneratedKey)] = []
        for algorithm in Self.initialAlgorithms(project.settings) {
            keys.append((algorithm, try await make(algorithm, for: project)))
        }
        let made = keys
        return { now in
            made.flatMap { algorithm, key in
                [
                    .stage(kid: key.kid, algorithm, publicKey: key.publicKey, at: now),
                    .promote(kid: key.kid, emergency: true, at: now),
                ]
            }
        }
    }

    /// Makes a key and publishes it as the next one.
    ///
    /// - Returns: its `kid`.
    package func stage(
        _ algorithm: SigningKeyRing.Algorithm,
        in project: Project,
        by operatorName: Operator,
        reason: String,
        deadline: Deadline
    ) async throws(OperationError) -> String {
        let key = try await make(algorithm, for: project)
        let attributes = operatorName.attributes(reason: reason)
        let request = CommandRequest(project: project, attributes: attributes, deadline: deadline)
        try await run(request) { now, _ in
            [.stage(kid: key.kid, algorithm, publicKey: key.publicKey, at: now)]
        }
        return key.kid
    }

    /// What an operator may do with a key that exists.
    package enum Change: Hashable, Sendable {
        case promote(kid: String, emergency: Bool)
        case retire(kid: String)
        case compromise(kid: String)
    }

    /// Changes a key's standing.
    ///
    /// - Throws: `.conflict` when the ring does not allow it now.
    package func change(
        _ change: Change,
        in project: Project,
        by operatorName: Operator,
        reason: String,
        deadline: Deadline
    ) async throws(OperationError) {
        let attributes = operatorName.attributes(reason: reason)
        let request = CommandRequest(project: project, attributes: attributes, deadline: deadline)
        try await run(request) { now, ring in
            switch change {
            case .promote(let kid, let emergency):
                [.promote(kid: kid, emergency: emergency, at: now)]
                    + (emergency ? Self.distrustFormer(than: kid, in: ring, at: now) : [])
            case .retire(let kid): [.remove(kid: kid, at: now)]
            case .compromise(let kid):
                [.compromise(kid: kid, issuedBefore: now.wholeMilliseconds)]
            }
        }
    }

    /// In an emergency the key that signed until now is worth nothing any more (security.md 5).
    private static func distrustFormer(
        than kid: String,
        in ring: SigningKeyRing.State,
        at now: Instant
    ) -> [SigningKeyRing.Command] {
        guard let algorithm = ring.key(kid)?.algorithm, let former = ring.current(algorithm),
            former.kid != kid
        else { return [] }
        return [.compromise(kid: former.kid, issuedBefore: now.wholeMilliseconds)]
    }

    private func make(_ algorithm: SigningKeyRing.Algorithm, for project: Project)
        async throws(OperationError) -> GeneratedKey
    {
        do { return try await vault.generate(algorithm, for: project.number) } catch {
            throw .keys(error)
        }
    }

    private func run(
        _ request: CommandRequest,
        _ list: (Instant, SigningKeyRing.State) -> [SigningKeyRing.Command]
    ) async throws(OperationError) {
        let stream = request.project.keysStream
        do throws(CommandError<OperationError>) {
            try await commands.run(request.ending, on: stream) {
                (work: inout Work) async throws(CommandError<OperationError>) in
                var ring: Loaded<SigningKeyRing>
                do throws(StoreError) {
                    ring = try await work.load(SigningKeyRing.self, stream)
                } catch {
                    throw .store(error)
                }
                for command in list(work.now, ring.state) {
                    do throws(SigningKeyRing.Rejection) {
                        try work.decide(command, on: &ring)
                    } catch {
                        throw .refused(.conflict(.key(error)))
                    }
                }
            }
        } catch { throw error.operation }
        // It has happened; a node that cannot read it now does so before the next answer.
        try? await commands.projects.reload(request.project.number, by: request.deadline)
    }
}
