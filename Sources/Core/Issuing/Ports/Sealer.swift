package import Domain

/// Seals personal values under one key per subject (Events 5).
package protocol Sealer: Sendable {
    /// The key `id`, made and committed first when there is none.
    ///
    /// - Throws: `.unavailable`, also when the key has been destroyed.
    func key(_ id: StreamID, of project: ProjectNumber, by deadline: Deadline)
        async throws(StoreError) -> any SealingKey

    /// The key `id` if it exists and has not been destroyed.
    func existingKey(_ id: StreamID, by deadline: Deadline)
        async throws(StoreError) -> (any SealingKey)?
}
