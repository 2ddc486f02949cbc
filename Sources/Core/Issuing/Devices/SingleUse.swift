package import Domain
package import OAuth

/// An artefact that is good, and good once: spent in the append that relies on it.
package struct SingleUse: Hashable, Sendable {
    package var purpose: Spent.Purpose
    /// The stream that only one append can begin.
    package var stream: StreamID
    /// From then on the artefact is refused anyway.
    package var expiresAt: Instant

    package init(purpose: Spent.Purpose, stream: StreamID, expiresAt: Instant) {
        self.purpose = purpose
        self.stream = stream
        self.expiresAt = expiresAt
    }
}

extension Work {
    /// Uses an artefact up, on all nodes, once (Events 8.11).
    ///
    /// The first attempt asks nothing: that the stream is new is what the append finds out. Unless
    /// it `looksFirst`, as where something is written before the append.
    package mutating func spend(
        _ use: SingleUse,
        looksFirst: Bool = false,
        refused: OAuthError
    ) async throws(CommandError<OAuthError>) {
        var spent =
            isRepeated || looksFirst
            ? try await loading(Spent.self, use.stream) : Loaded<Spent>.new(use.stream)
        do {
            try decide(.spend(use.purpose, expiresAt: use.expiresAt), on: &spent)
        } catch { throw .refused(refused) }
    }
}
