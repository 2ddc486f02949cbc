package import Domain
internal import InMemory
internal import Issuing

extension TokenSide {
    /// Puts other settings in force: in the log, and in what this node sees, at once or when a
    /// conflict makes it look.
    package func apply(_ settings: ProjectSettings, isHeard: Bool = true) async throws {
        let now = try Fixture.some(projects.project(id: settings.id))
        let version = now.configuration.version + 1
        let digest = digester.sha256([UInt8(truncatingIfNeeded: version)])
        let applied = ProjectConfig.Applied(
            id: settings.id,
            digest: digest,
            document: [UInt8(truncatingIfNeeded: version)]
        )
        try await run(ProjectConfig.self, now.configuration.stream) {
            .apply(applied, expected: now.digest, changed: ["oauth"])
        }
        let project = Project(
            number: now.number,
            settings: settings,
            digest: digest,
            configuration: StreamGuard(
                stream: now.configuration.stream,
                version: version
            ),
            keys: now.keys,
            keysStream: now.keysStream,
            keysVersion: now.keysVersion
        )
        if isHeard { projects.replace(project) } else { projects.replaceLater(project) }
    }
}
