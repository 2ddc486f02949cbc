package import Domain

/// Stages, promotes, removes and distrusts signing keys (Security 5).
package struct KeyAdministration: Sendable {
    let commands: CommandRunner
    private let vault: any KeyVault

    package init(commands: CommandRunner, vault: any KeyVault) {
        self.commands = commands
        self.vault = vault
    }

    /// The algorithms every new project gets a key of: RS256 because OpenID Connect discovery
    /// demands it (WireContract 8.5).
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

    /// Makes a key and publishes it as the next one; asked again soon, as after an answer that was
    /// lost, it is the same key, if its private half is here (decisions 0161 and 0163).
    ///
    /// - Returns: its `kid`.
    package func stage(_ algorithm: SigningKeyRing.Algorithm, by order: Order)
        async throws(OperationError) -> String
    {
        var made: GeneratedKey?
        var unusable: Set<String> = []
        while true {
            let key = made
            // Asked again with a key in hand: the same order may have been carried out elsewhere.
            let known = try await run(order.request) { now, ring in
                if let known = ring.justStaged(algorithm, at: now, but: unusable) {
                    return ([], known.kid)
                }
                guard let key else { return ([], nil) }
                return ([.stage(kid: key.kid, algorithm, publicKey: key.publicKey, at: now)], nil)
            }
            if let known {
                if try await fault(of: known, algorithm) == nil { return known }
                // Nothing here could sign with it (decision 0163).
                unusable.insert(known)
            } else if let key {
                return key.kid
            } else {
                made = try await make(algorithm, for: order.project)
            }
        }
    }

    /// What an operator may do with a key that exists.
    package enum Change: Hashable, Sendable {
        case promote(kid: String, emergency: Bool)
        case retire(kid: String)
        /// `isFinal`: also the key that signs, which leaves none of its algorithm that does.
        case compromise(kid: String, isFinal: Bool)
    }

    /// Changes a key's standing.
    ///
    /// - Throws: `.conflict` when the ring does not allow it now, when the key that is to sign is
    ///   not at this node (decision 0163), or when nothing would sign any more and the order does
    ///   not say so (decision 0213).
    /// - Returns: the `kid` that an emergency took out, now or the first time; nil when none.
    @discardableResult
    package func change(_ change: Change, by order: Order)
        async throws(OperationError) -> String?
    {
        try await run(order.request) { (now, ring) throws(OperationError) in
            switch change {
            case .promote(let kid, let emergency):
                let promotion = SigningKeyRing.Command.promote(
                    kid: kid,
                    emergency: emergency,
                    at: now
                )
                guard emergency, let former = Self.former(than: kid, in: ring) else {
                    return ([promotion], nil)
                }
                return ([promotion, Self.compromise(former, at: now)], former)
            case .retire(let kid): return ([.remove(kid: kid, at: now)], nil)
            case .compromise(let kid, let isFinal):
                // Nobody could log in or refresh until another is promoted (decision 0213).
                if !isFinal, ring.key(kid)?.status == .current { throw .conflict(.signingKey) }
                return ([Self.compromise(kid, at: now)], nil)
            }
        }
    }

    private static func compromise(_ kid: String, at now: Instant) -> SigningKeyRing.Command {
        .compromise(kid: kid, issuedBefore: now.wholeMilliseconds)
    }

    /// In an emergency the key that signed until then is worth nothing any more (Security 5).
    ///
    /// Of a key that signs already it is the one that it took over from: an operator may have
    /// promoted it without the word, or have lost the answer. One that was given up by its name is
    /// taken over from, too: no older one is meant.
    private static func former(than kid: String, in ring: SigningKeyRing.State) -> String? {
        guard let key = ring.key(kid) else { return nil }
        if key.status != .current, let signs = ring.current(key.algorithm) { return signs.kid }
        // What was retired before this one was staged gave way to another one.
        let former = ring.keys.filter { $0.algorithm == key.algorithm }
            .filter { $0.retiredAt.map { $0 >= key.stagedAt } ?? false }
            .max { ($0.retiredAt ?? key.stagedAt) < ($1.retiredAt ?? key.stagedAt) }
        return former.flatMap { $0.status == .removed ? nil : $0.kid }
    }

    private func make(_ algorithm: SigningKeyRing.Algorithm, for project: Project)
        async throws(OperationError) -> GeneratedKey
    {
        do { return try await vault.generate(algorithm, for: project.number) } catch {
            throw .keys(error)
        }
    }

    private func fault(of kid: String, _ algorithm: SigningKeyRing.Algorithm)
        async throws(OperationError) -> String?
    {
        do { return try await vault.fault(of: kid, algorithm) } catch { throw .keys(error) }
    }

    /// Refuses to let a key come to sign that is not here: the one that signs would retire for it.
    private func requireFile(_ command: SigningKeyRing.Command, _ ring: SigningKeyRing.State)
        async throws(CommandError<OperationError>)
    {
        guard case .promote(let kid, _, _) = command, let key = ring.key(kid),
            key.status == .staged
        else { return }
        let fault: String?
        do { fault = try await self.fault(of: kid, key.algorithm) } catch { throw .refused(error) }
        if let fault { throw .refused(.conflict(.unusableFile(fault))) }
    }

    /// Runs the commands of `list`; answers the key that it names beside them.
    private func run(
        _ request: CommandRequest,
        _ list: (Instant, SigningKeyRing.State) throws(OperationError) -> (
            commands: [SigningKeyRing.Command], kid: String?
        )
    ) async throws(OperationError) -> String? {
        let stream = request.project.keysStream
        let named: String?
        do throws(CommandError<OperationError>) {
            named = try await commands.run(request.ending, on: stream) {
                (work: inout Work) async throws(CommandError<OperationError>) in
                var ring: Loaded<SigningKeyRing>
                do throws(StoreError) {
                    ring = try await work.load(SigningKeyRing.self, stream)
                } catch {
                    throw .store(error)
                }
                let commands: [SigningKeyRing.Command]
                let kid: String?
                do throws(OperationError) {
                    (commands, kid) = try list(work.now, ring.state)
                } catch {
                    throw .refused(error)
                }
                for command in commands {
                    try await requireFile(command, ring.state)
                    do throws(SigningKeyRing.Rejection) {
                        try work.decide(command, on: &ring)
                    } catch {
                        throw .refused(.conflict(.key(error)))
                    }
                }
                return kid
            }
        } catch { throw error.operation }
        // It has happened; a node that cannot read it now does so before the next answer.
        try? await commands.projects.reload(request.project.number, by: request.deadline)
        return named
    }
}

extension SigningKeyRing.State {
    /// How long the same order counts as one that is repeated: no longer than somebody waits for
    /// its answer, since a key that has lain there may be a thief's, too.
    private static let repeatedMilliseconds: Int64 = 2 * 60 * 1000

    /// The newest key of an algorithm but `unusable`, while it has only just been staged.
    ///
    /// No older one: for a stolen key's place one is made that the thief cannot have, too.
    fileprivate func justStaged(
        _ algorithm: SigningKeyRing.Algorithm,
        at now: Instant,
        but unusable: Set<String>
    ) -> SigningKeyRing.Key? {
        keys.last {
            $0.algorithm == algorithm && $0.status == .staged && !unusable.contains($0.kid)
                && now < $0.stagedAt.adding(milliseconds: Self.repeatedMilliseconds)
        }
    }
}
