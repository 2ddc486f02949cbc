import Domain
import InMemory
import Issuing

extension TokenSide {
    /// An operator suspends the project; this node hears of it at once, or when a conflict makes it
    /// look.
    package func suspend(isHeard: Bool = true) async throws {
        try await change(.suspend(reason: "unpaid"), isSuspended: true, isHeard: isHeard)
    }

    /// It goes on, and this node has heard of it.
    package func resume() async throws {
        try await change(.resume, isSuspended: false, isHeard: true)
    }

    private func change(_ command: ProjectConfig.Command, isSuspended: Bool, isHeard: Bool)
        async throws
    {
        let now = try Fixture.some(projects.project(id: project.settings.id))
        let stream = now.configuration.stream
        try await run(ProjectConfig.self, stream) { command }
        let later = Project(
            number: now.number,
            settings: now.settings,
            digest: now.digest,
            configuration: StreamGuard(stream: stream, version: now.configuration.version + 1),
            isSuspended: isSuspended,
            isBehind: now.isBehind,
            clientsSince: now.clientsSince,
            cascadedAt: now.cascadedAt,
            keys: now.keys,
            keysStream: now.keysStream,
            keysVersion: now.keysVersion
        )
        if isHeard { projects.replace(later) } else { projects.replaceLater(later) }
    }
}
