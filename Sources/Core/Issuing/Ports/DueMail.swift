package import Domain

/// One row of the queue, leased.
package struct DueMail: Hashable, Sendable {
    package var link: StreamID
    package var generation: Int32
    package var project: ProjectNumber
    /// Attempts made before this one.
    package var attempts: Int
    package var enqueuedAt: Instant
    /// When others may take it, unless it is given back before.
    package var leasedUntil: Instant

    package init(
        link: StreamID,
        generation: Int32,
        project: ProjectNumber,
        attempts: Int,
        enqueuedAt: Instant,
        leasedUntil: Instant
    ) {
        self.link = link
        self.generation = generation
        self.project = project
        self.attempts = attempts
        self.enqueuedAt = enqueuedAt
        self.leasedUntil = leasedUntil
    }
}
