extension Projector {
    /// A cluster that is new has no revocations: all of them go there once more, some a turn, and
    /// nothing is called complete before they are there.
    mutating func queueAgain() async throws(ProjectionTrouble) {
        guard let active, let key = active.queuesAfter else { return }
        let last = try await store.queueAgain(after: key, in: active.progress.generation)
        self.active?.queuesAfter = last
    }
}
