package import Domain
internal import InMemory
internal import Issuing

extension TokenSide {
    /// Puts other settings in force: in the log, and in what this node sees, at once or when a
    /// conflict makes it look.
    ///
    /// `old`: what it sees instead, as it cannot read the document.
    package func apply(
        _ settings: ProjectSettings,
        isHeard: Bool = true,
        serving old: ProjectSettings? = nil
    ) async throws {
        let now = try Fixture.some(projects.project(id: settings.id))
        let version = now.configuration.version + 1
        let digest = digester.sha256([UInt8(truncatingIfNeeded: version)])
        let applied = ProjectConfig.Applied(
            id: settings.id,
            digest: digest,
            document: [UInt8(truncatingIfNeeded: version)]
        )
        let known = Set(now.settings.clients.map(\.id))
        let added = ProjectConfig.Added(
            settings.clients.map(\.id).filter { !known.contains($0) },
            at: clock.now
        )
        let stream = now.configuration.stream
        try await run(ProjectConfig.self, stream) {
            .apply(applied, expected: now.digest, changed: ["oauth"], added: added)
        }
        let config = try await store.loadCurrent(
            ProjectConfig.self,
            stream,
            by: Fixture.noDeadline
        )
        var clientsSince: [ClientID: Instant] = [:]
        if case .applied(let inForce) = config.state { clientsSince = inForce.clientsSince }
        let project = Project(
            number: now.number,
            settings: old ?? settings,
            digest: digest,
            configuration: StreamGuard(stream: stream, version: version),
            isBehind: old != nil,
            clientsSince: clientsSince,
            keys: now.keys,
            keysStream: now.keysStream,
            keysVersion: now.keysVersion
        )
        if isHeard { projects.replace(project) } else { projects.replaceLater(project) }
    }
}
