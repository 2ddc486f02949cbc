package import Domain

/// IP network (/24 or /48) and user agent of a request, kept 90 days.
package struct RequestContext: Hashable, Sendable {
    package var command: CommandID
    package var project: ProjectNumber
    package var subject: SubjectID?
    package var at: Instant
    package var network: String
    package var userAgent: String

    package init(
        command: CommandID,
        project: ProjectNumber,
        subject: SubjectID?,
        at: Instant,
        network: String,
        userAgent: String
    ) {
        self.command = command
        self.project = project
        self.subject = subject
        self.at = at
        self.network = network
        self.userAgent = userAgent
    }
}
