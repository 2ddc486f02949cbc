package import Domain

/// Applies, creates and shows project configurations (WireContract 13.3).
package struct ProjectAdministration: Sendable {
    let commands: CommandRunner
    private let documents: any ProjectDocuments
    private let digester: any Digester
    private let keys: KeyAdministration
    private let neighbours: ProjectNeighbours
    private let origins: any ProjectOrigins

    package init(
        commands: CommandRunner,
        documents: any ProjectDocuments,
        digester: any Digester,
        keys: KeyAdministration,
        origins: any ProjectOrigins
    ) {
        self.origins = origins
        self.commands = commands
        self.documents = documents
        self.digester = digester
        self.keys = keys
        neighbours = ProjectNeighbours(documents: documents)
    }

    /// What the operator saw before.
    package enum Precondition: Hashable, Sendable {
        /// `If-None-Match: *`: there is none yet.
        case absent
        /// `If-Match`: digest of the document.
        case digest(TokenDigest)
    }

    /// The document in force and its digest, also one that this program cannot read.
    package func document(of id: ProjectID, by deadline: Deadline)
        async throws(OperationError) -> ProjectConfig.Applied
    {
        guard let number = commands.projects.number(of: id) else { throw .notFound }
        let loaded: Loaded<ProjectConfig>
        do {
            loaded = try await commands.store.loadCurrent(
                ProjectConfig.self,
                commands.names.projectConfig(number),
                by: deadline
            )
        } catch { throw .store(error) }
        switch loaded.state {
        case .absent: throw .notFound
        case .applied(let applied), .suspended(let applied): return applied
        }
    }

    /// Whether `document` could be applied now; applies nothing.
    ///
    /// - Throws: as `apply`, but for the precondition.
    package func check(_ document: [UInt8], as named: ProjectID? = nil, by deadline: Deadline)
        async throws(OperationError)
    {
        let settings = try read(document, as: named)
        // The first document of a project makes the keys that it asks for.
        guard let number = commands.projects.number(of: settings.id) else { return }
        let project = known(number, settings, digester.sha256(document))
        let ring = SigningKeyRing.State(keys: try await keys.keys(in: project, by: deadline))
        try Self.refuseMissingKeys(settings, ring)
        let old = try await self.document(of: settings.id, by: deadline).document
        try refuseExcess(document, DocumentComparison(of: settings, document, old, documents))
    }

    /// The settings of a document that nothing of another project stands in the way of.
    private func read(_ document: [UInt8], as named: ProjectID?)
        throws(OperationError) -> ProjectSettings
    {
        let settings: ProjectSettings
        do { settings = try documents.read(document) } catch { throw .invalid(error) }
        if let named, named != settings.id {
            let line = "id: is \(settings.id.text), but the request names \(named.text)"
            throw .invalid(ProjectFindings(lines: [line]))
        }
        try refuseShared(settings)
        return settings
    }

    /// In force, such a document would burn each code and refresh token: what signs is asked for
    /// after the commit.
    private static func refuseMissingKeys(_ settings: ProjectSettings, _ ring: SigningKeyRing.State)
        throws(OperationError)
    {
        let missing = settings.missingKeys(beside: ring.currentAlgorithms)
        guard missing.isEmpty else {
            throw .invalid(ProjectFindings(lines: missing.map(\.finding)))
        }
    }

    /// Applies `document`; the first one of a project creates it, and its first signing keys.
    ///
    /// `named`: the project that the operator means, which must be the document's.
    ///
    /// - Throws: `.invalid` with every finding, also when an algorithm it asks for has no current
    ///   key; `.conflict` when it is not as the operator saw it, or another project answers one of
    ///   its hosts, or sends a cookie of its name.
    /// - Returns: the settings now in force, and whether the project is suspended all the same.
    package func apply(
        _ document: [UInt8],
        as named: ProjectID? = nil,
        if precondition: Precondition,
        by holder: Operator,
        reason: String,
        deadline: Deadline
    ) async throws(OperationError) -> (settings: ProjectSettings, isSuspended: Bool) {
        let settings = try read(document, as: named)
        let applied = ProjectConfig.Applied(
            id: settings.id,
            digest: digester.sha256(document),
            document: document
        )
        let attributes = holder.attributes(reason: reason)
        switch (precondition, commands.projects.number(of: settings.id)) {
        case (.absent, .some): throw .conflict(.document(.alreadyExists))
        case (.digest, nil): throw .notFound
        case (.digest(let digest), let number?):
            let request = CommandRequest(
                project: known(number, settings, applied.digest),
                attributes: attributes,
                deadline: deadline
            )
            return (settings, try await change(request, to: applied, settings, expecting: digest))
        case (.absent, nil):
            try await create(applied, settings, attributes, deadline)
            return (settings, false)
        }
    }

    private func refuseShared(_ settings: ProjectSettings) throws(OperationError) {
        let own = commands.projects.project(id: settings.id)?.settings
        for other in commands.projects.all where other.settings.id != settings.id {
            let shared = settings.hostTaken(from: other.settings, having: own)
            if let shared { throw .conflict(.sharedHost(shared, of: other.settings.id)) }
            let cookie = settings.cookieTaken(from: other.settings, having: own)
            if let cookie { throw .conflict(.sharedCookie(cookie, of: other.settings.id)) }
        }
    }

    /// The project as this node serves it; one that it cannot is as its new document has it.
    private func known(_ number: ProjectNumber, _ settings: ProjectSettings, _ digest: TokenDigest)
        -> Project
    {
        commands.projects.project(number: number) ?? fresh(number, settings, digest)
    }

    private func fresh(_ number: ProjectNumber, _ settings: ProjectSettings, _ digest: TokenDigest)
        -> Project
    {
        let names = commands.names
        return Project(
            number: number,
            settings: settings,
            digest: digest,
            configuration: StreamGuard(stream: names.projectConfig(number), version: 1),
            keys: SigningKeyRing.State(),
            keysStream: names.signingKeys(of: number),
            keysVersion: 0
        )
    }

    /// - Returns: whether the project is suspended, before as after it.
    private func change(
        _ request: CommandRequest,
        to applied: ProjectConfig.Applied,
        _ settings: ProjectSettings,
        expecting digest: TokenDigest
    ) async throws(OperationError) -> Bool {
        let stream = request.project.configuration.stream
        var known = ProjectNeighbours.Known()
        var compared: DocumentComparison?
        let isSuspended: Bool
        do throws(CommandError<OperationError>) {
            isSuspended = try await commands.run(request.ending, on: stream) {
                (work: inout Work) async throws(CommandError<OperationError>) -> Bool in
                var config: Loaded<ProjectConfig>
                let ring: Loaded<SigningKeyRing>
                do throws(StoreError) {
                    config = try await work.load(ProjectConfig.self, stream)
                    ring = try await work.load(SigningKeyRing.self, request.project.keysStream)
                } catch { throw .store(error) }
                // Its keys sign from the document's commit on.
                work.require(ring)
                do throws(OperationError) {
                    try Self.refuseMissingKeys(settings, ring.state)
                } catch { throw .refused(error) }
                let old = config.state.document
                // Two long documents take longer than a decision may: the next attempt has it.
                let comparison =
                    compared.flatMap { $0.old == old ? $0 : nil }
                    ?? DocumentComparison(of: settings, applied.document, old, documents)
                compared = comparison
                if let new = ProjectClaims(of: settings).beyond(comparison.claims) {
                    try await neighbours.refuseShared(
                        new,
                        of: settings.id,
                        as: request.project.number,
                        knowing: &known,
                        in: &work
                    )
                }
                do throws(ProjectConfig.Rejection) {
                    try work.decide(
                        comparison.order(applied, expecting: digest, at: work.now),
                        on: &config
                    )
                } catch { throw .refused(.conflict(.document(error))) }
                do throws(OperationError) {
                    try refuseExcess(applied.document, comparison)
                } catch { throw .refused(error) }
                return config.state.isSuspended
            }
        } catch { throw error.operation }
        // It has happened; a node that cannot read it now does so before the next answer.
        try? await commands.projects.reload(request.project.number, by: request.deadline)
        return isSuspended
    }

    /// Refuses a document that leaves no room for the clients which its event names, too.
    private func refuseExcess(_ document: [UInt8], _ comparison: DocumentComparison)
        throws(OperationError)
    {
        let named = comparison.added + comparison.cascaded
        do { try documents.checkSize(of: document, naming: named) } catch { throw .invalid(error) }
    }

    /// Takes the next free number; when somebody else takes it first the operator hears it.
    ///
    /// Project and keys are one append: no node sees a project that cannot sign.
    private func create(
        _ applied: ProjectConfig.Applied,
        _ settings: ProjectSettings,
        _ attributes: EventAttributes,
        _ deadline: Deadline
    ) async throws(OperationError) {
        let number = try await neighbours.firstFree(in: commands, by: deadline)
        let project = fresh(number, settings, applied.digest)
        let stream = project.configuration.stream
        // Before keys are made, which nobody would need.
        if number == .first { try await refuseForeignRoot(stream, by: deadline) }
        let keyCommands = try await keys.first(of: project)
        let request = CommandRequest(project: project, attributes: attributes, deadline: deadline)
        var known = ProjectNeighbours.Known()
        do throws(CommandError<OperationError>) {
            try await commands.run(request.ending, on: stream) {
                (work: inout Work) async throws(CommandError<OperationError>) in
                var config: Loaded<ProjectConfig>
                var ring: Loaded<SigningKeyRing>
                do throws(StoreError) {
                    config = try await work.load(ProjectConfig.self, stream)
                    ring = try await work.load(SigningKeyRing.self, project.keysStream)
                } catch { throw .store(error) }
                guard case .absent = config.state else {
                    throw .refused(.conflict(.document(.changedMeanwhile)))
                }
                try await neighbours.refuseShared(
                    ProjectClaims(of: settings),
                    of: settings.id,
                    as: number,
                    knowing: &known,
                    in: &work
                )
                do throws(ProjectConfig.Rejection) {
                    try work.decide(.apply(applied, expected: nil, changed: []), on: &config)
                } catch { throw .refused(.conflict(.document(error))) }
                do throws(SigningKeyRing.Rejection) {
                    for command in keyCommands(work.now) { try work.decide(command, on: &ring) }
                } catch { throw .refused(.conflict(.key(error))) }
            }
        } catch { throw error.operation }
        try? await commands.projects.reload(number, by: deadline)
    }
}

extension ProjectAdministration {
    /// Refuses a first project where another root secret has made one since this node looked
    /// (decision 0165): the log would hold the same number twice.
    private func refuseForeignRoot(_ own: StreamID, by deadline: Deadline)
        async throws(OperationError)
    {
        let found: [StreamID]
        do { found = try await origins.firstProjects(by: deadline) } catch { throw .store(error) }
        guard found.allSatisfy({ $0 == own }) else { throw .conflict(.foreignRoot) }
    }
}
