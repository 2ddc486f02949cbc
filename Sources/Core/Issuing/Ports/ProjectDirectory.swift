package import Domain

/// The projects this installation serves, as immutable snapshots (Architecture 10).
package protocol ProjectDirectory: Sendable {
    /// By host name, lower case, without port; nil: answer 421, or 503 unless `isComplete`.
    func project(host: String) -> Project?

    /// Of two with one id the later (decision 0124).
    func project(id: ProjectID) -> Project?

    /// The number of a project, also of one that this process cannot serve.
    func number(of id: ProjectID) -> ProjectNumber?

    /// The projects of the log that this process cannot serve, in the order of their numbers.
    var unservedIDs: [ProjectID] { get }

    /// Whether every project of the log is served here: until then any host may be one's.
    var isComplete: Bool { get }

    /// Whether the log has been looked through once: until then nobody knows what is not there.
    var isRead: Bool { get }

    /// In the order of their numbers.
    var all: [Project] { get }

    /// Reads a project's configuration and keys again; called after a conflict on either stream.
    func reload(_ number: ProjectNumber, by deadline: Deadline) async throws(StoreError)

    /// `project` with the keys of the log: read again when the head of their stream has moved, so
    /// that a caller with a made-up key costs no more than a head check.
    func withCurrentKeys(_ project: Project, by deadline: Deadline)
        async throws(StoreError) -> Project

    /// `project` as the log has it now, configuration and keys.
    ///
    /// - Throws: also when what the log has cannot be read here: nothing old stands in for it.
    func newest(_ project: Project, by deadline: Deadline) async throws(StoreError) -> Project
}

extension ProjectDirectory {
    /// A project that was read before, by its number: another one may have the same id.
    package func project(number: ProjectNumber) -> Project? {
        all.first { $0.number == number }
    }

    package func number(of id: ProjectID) -> ProjectNumber? { project(id: id)?.number }

    package var unservedIDs: [ProjectID] { [] }

    package var isComplete: Bool { !all.isEmpty }

    package var isRead: Bool { true }

    /// Reads it again whether or not it moved; right wherever `reload` asks the log.
    package func newest(_ project: Project, by deadline: Deadline)
        async throws(StoreError) -> Project
    {
        try await reload(project.number, by: deadline)
        guard let current = self.project(number: project.number), !current.isBehind else {
            throw .unavailable
        }
        return current
    }
}
