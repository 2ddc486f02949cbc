package import Domain
package import Issuing
internal import Runtime

/// The projects a test serves.
package final class InMemoryProjects: ProjectDirectory {
    private let projects: Guarded<[Project]>

    package init(_ projects: [Project]) { self.projects = Guarded(projects) }

    /// Replaces the project of the same number, as a reload would.
    package func replace(_ project: Project) {
        projects.withLock { projects in
            projects.removeAll { $0.number == project.number }
            projects.append(project)
        }
    }

    package func project(host: String) -> Project? {
        all.first { $0.settings.hosts.contains(host) }
    }

    package func project(id: ProjectID) -> Project? { all.first { $0.settings.id == id } }

    package var all: [Project] { projects.withLock { $0.sorted { $0.number < $1.number } } }

    package func reload(_ number: ProjectNumber, by deadline: Deadline)
        async throws(StoreError)
    {}
}
