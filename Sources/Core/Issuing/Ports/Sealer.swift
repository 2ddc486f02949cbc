package import Domain

/// Seals personal values under one key per subject (events.md section 5).
package protocol Sealer: Sendable {
    /// The key `id`, made and committed first when there is none.
    ///
    /// - Throws: `.unavailable`, also when the key has been destroyed.
    func key(_ id: StreamID, of project: ProjectNumber, by deadline: Deadline)
        async throws(StoreError) -> any SealingKey

    /// The key `id` if it exists and has not been destroyed.
    func existingKey(_ id: StreamID, by deadline: Deadline)
        async throws(StoreError) -> (any SealingKey)?

    /// Destroys the key `id` for good.
    func destroyKey(_ id: StreamID, by deadline: Deadline) async throws(StoreError)
}

/// One subject's key.
package protocol SealingKey: Sendable {
    /// Additional data: stream id, version, type number, member name.
    func seal(_ value: [UInt8], as place: SealedPlace) -> Sealed

    /// Nil when the value was sealed elsewhere or altered.
    func open(_ sealed: Sealed, at place: SealedPlace) -> [UInt8]?
}

/// Where a sealed member stands; a value moved elsewhere does not open.
package struct SealedPlace: Hashable, Sendable {
    package var stream: StreamID
    package var member: String

    package init(stream: StreamID, member: String) {
        self.stream = stream
        self.member = member
    }
}
