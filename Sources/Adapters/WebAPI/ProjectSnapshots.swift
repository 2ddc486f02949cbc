internal import Domain
package import Issuing
internal import Runtime

/// The current snapshot of each project, rebuilt when its configuration or keys have changed.
package final class ProjectSnapshots: Sendable {
    private let snapshots = Guarded<[ProjectNumber: ProjectSnapshot]>([:])
    private let digester: any Digester
    private let grantTypes: [String]

    /// `grantTypes`: what the token endpoint answers to, for the metadata.
    package init(digester: any Digester, grantTypes: [String]) {
        self.digester = digester
        self.grantTypes = grantTypes
    }

    /// The snapshot that describes `project` as it is given: built when there is none.
    package func of(_ project: Project) -> ProjectSnapshot {
        if let known = snapshots.withLock({ $0[project.number] }), known.describes(project) {
            return known
        }
        // Built outside the lock: two requests may build it twice, and then either one is right.
        let built = ProjectSnapshot(project, digester: digester, grantTypes: grantTypes)
        snapshots.withLock { $0[project.number] = built }
        return built
    }
}
