package import Domain
internal import InMemory
internal import Issuing

extension TokenSide {
    /// Does what an operator does to the ring, at another node; this one may not have heard of it.
    package func changeKeys(_ commands: [SigningKeyRing.Command], isHeard: Bool = true)
        async throws
    {
        let now = try Fixture.some(projects.project(id: project.settings.id))
        for command in commands {
            try await run(SigningKeyRing.self, now.keysStream) { command }
        }
        let ring = try await store.loadCurrent(
            SigningKeyRing.self,
            now.keysStream,
            by: Fixture.noDeadline
        )
        let changed = Project(
            number: now.number,
            settings: now.settings,
            digest: now.digest,
            configuration: now.configuration,
            clientsSince: now.clientsSince,
            keys: ring.state,
            keysStream: now.keysStream,
            keysVersion: ring.version
        )
        if isHeard { projects.replace(changed) } else { projects.replaceLater(changed) }
    }
}
