package import Domain

/// An end as the log names it.
package struct RecordedEnding: Hashable, Sendable {
    /// Ends read at once.
    package static let pageMax = 100

    /// What has ended: a subject, a browser's session or an app's session.
    package var stream: StreamID
    package var kind: AggregateKind
    package var project: ProjectNumber
    /// Whether it is a user's erasure: what the user can be read by goes with it.
    package var isErasure: Bool

    package init(
        _ stream: StreamID,
        _ kind: AggregateKind,
        in project: ProjectNumber,
        isErasure: Bool
    ) {
        self.stream = stream
        self.kind = kind
        self.project = project
        self.isErasure = isErasure
    }
}
