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
        let added = ProjectConfig.Difference(
            settings.clients.map(\.id).filter { !known.contains($0) },
            at: clock.now
        )
        let kept = Set(settings.clients.map(\.id))
        let cascading = now.settings.clients.filter { $0.app2app?.cascades ?? false }
        let cascaded = ProjectConfig.Difference(
            cascading.map(\.id).filter { !kept.contains($0) },
            at: clock.now
        )
        let stream = now.configuration.stream
        try await run(ProjectConfig.self, stream) {
            .apply(
                applied,
                expected: now.digest,
                changed: ["oauth"],
                added: added,
                cascaded: cascaded
            )
        }
        let config = try await store.loadCurrent(
            ProjectConfig.self,
            stream,
            by: Fixture.noDeadline
        )
        guard case .applied(let inForce) = config.state else { return }
        let project = Project(
            number: now.number,
            settings: old ?? settings,
            digest: digest,
            configuration: StreamGuard(stream: stream, version: version),
            isBehind: old != nil,
            clientsSince: inForce.clientsSince,
            cascadedAt: inForce.cascadedAt,
            keys: now.keys,
            keysStream: now.keysStream,
            keysVersion: now.keysVersion
        )
        if isHeard { projects.replace(project) } else { projects.replaceLater(project) }
    }
}
