internal import Domain

extension CommandRunner {
    /// Refuses what an operator orders about a user whom the project never had; one who is disabled
    /// or erased it had.
    ///
    /// - Throws: `.notFound` for such a user.
    func requireKnown(_ subject: SubjectID, in project: Project, by deadline: Deadline)
        async throws(OperationError)
    {
        let loaded: Loaded<Subject>
        do {
            loaded = try await store.loadCurrent(Subject.self, subject.stream, by: deadline)
                .seen(from: project.number)
        } catch { throw .store(error) }
        if case .absent = loaded.state { throw .notFound }
    }
}
