package import Domain
package import Issuing
internal import Runtime

/// The projects a test serves.
package final class InMemoryProjects: ProjectDirectory {
    private let projects: Guarded<[Project]>
    /// What the next reload finds.
    private let unread = Guarded<[Project]>([])
    /// Projects of the log that this node cannot serve.
    private let unserved = Guarded<[ProjectID: ProjectNumber]>([:])

    /// Projects that this node has seen, and not read to their end.
    private let begun = Guarded<[ProjectID: ProjectNumber]>([:])

    private let hasForgotten = Guarded(false)
    private let answersFeeds = Guarded(false)

    package init(_ projects: [Project]) { self.projects = Guarded(projects) }

    /// As a node that has started, and has not looked through its log yet.
    package func forget() {
        projects.withLock { $0 = [] }
        hasForgotten.withLock { $0 = true }
    }

    package var isRead: Bool { hasForgotten.withLock { !$0 } }

    /// From now on those of a projector, which also answers where a feed is.
    package func answerFeeds() { answersFeeds.replace(with: true) }

    /// Replaces the project of the same number, as a reload would.
    package func replace(_ project: Project) {
        unserved.withLock { $0[project.settings.id] = nil }
        projects.withLock { projects in
            projects.removeAll { $0.number == project.number }
            projects.append(project)
        }
    }

    /// As above, but this node does not hear of `project` before it reloads.
    package func replaceLater(_ project: Project) { unread.withLock { $0.append(project) } }

    /// Knows of a project without serving it, as of one whose document cannot be read.
    package func stopServing(_ id: ProjectID) {
        guard let number = number(of: id) else { return }
        unserved.withLock { $0[id] = number }
        projects.withLock { $0.removeAll { $0.settings.id == id } }
    }

    /// Knows of a project, and is about to read the rest of it, as a node that has just started.
    package func beginReading(_ id: ProjectID) {
        guard let number = number(of: id) else { return }
        begun.withLock { $0[id] = number }
        projects.withLock { $0.removeAll { $0.settings.id == id } }
    }

    package func number(of id: ProjectID) -> ProjectNumber? {
        project(id: id)?.number ?? unserved.withLock { $0[id] } ?? begun.withLock { $0[id] }
    }

    package var unservedIDs: [ProjectID] {
        unserved.withLock { $0.sorted { $0.value < $1.value }.map(\.key) }
    }

    package var isComplete: Bool { !all.isEmpty && unserved.withLock(\.isEmpty) }

    package func project(host: String) -> Project? {
        let hosts = all.first { $0.settings.hosts.contains(host) }
        guard hosts == nil, answersFeeds.current else { return hosts }
        return all.first { $0.settings.feedHost == host }
    }

    package func project(id: ProjectID) -> Project? { all.last { $0.settings.id == id } }

    package var all: [Project] { projects.withLock { $0.sorted { $0.number < $1.number } } }

    package func reload(_ number: ProjectNumber, by deadline: Deadline)
        async throws(StoreError)
    {
        let found = unread.withLock { unread in
            defer { unread.removeAll { $0.number == number } }
            return unread.last { $0.number == number }
        }
        if let found { replace(found) }
    }

    package func withCurrentKeys(_ project: Project, by deadline: Deadline)
        async throws(StoreError) -> Project
    {
        try await reload(project.number, by: deadline)
        return self.project(number: project.number) ?? project
    }
}
