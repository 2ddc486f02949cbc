package import Domain

extension KeyAdministration {
    /// Every key of the project's ring, the newest last; current as of the call.
    package func keys(in project: Project, by deadline: Deadline)
        async throws(OperationError) -> [SigningKeyRing.Key]
    {
        do throws(StoreError) {
            return try await commands.store.loadCurrent(
                SigningKeyRing.self,
                project.keysStream,
                by: deadline
            ).state.keys
        } catch { throw .store(error) }
    }
}
