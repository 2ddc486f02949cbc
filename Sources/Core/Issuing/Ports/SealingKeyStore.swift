package import Domain

/// Where wrapped sealing keys are kept: `es.sealing_keys` (Events 5).
package protocol SealingKeyStore: Sendable {
    /// Commits `key` unless there is one of its id; answers the one that is there.
    func insert(_ key: WrappedSealingKey, by deadline: Deadline)
        async throws(StoreError) -> WrappedSealingKey

    /// The key `id`, also a destroyed one; nil when there never was one.
    func find(_ id: StreamID, by deadline: Deadline) async throws(StoreError) -> WrappedSealingKey?
}
