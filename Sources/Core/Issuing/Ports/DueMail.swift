package import Domain

/// One row of the queue, leased.
package struct DueMail: Hashable, Sendable {
    package var occasion: MailOccasion
    package var project: ProjectNumber
    /// Attempts made before this one.
    package var attempts: Int
    package var enqueuedAt: Instant
    /// When others may take it, unless it is given back before.
    package var leasedUntil: Instant

    package init(
        occasion: MailOccasion,
        project: ProjectNumber,
        attempts: Int,
        enqueuedAt: Instant,
        leasedUntil: Instant
    ) {
        self.occasion = occasion
        self.project = project
        self.attempts = attempts
        self.enqueuedAt = enqueuedAt
        self.leasedUntil = leasedUntil
    }
}
