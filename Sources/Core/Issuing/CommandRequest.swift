package import Domain

/// On whose behalf a command runs, in which project, and until when.
package struct CommandRequest: Sendable {
    package var project: Project
    package var attributes: EventAttributes
    package var deadline: Deadline

    package init(project: Project, attributes: EventAttributes, deadline: Deadline) {
        self.project = project
        self.attributes = attributes
        self.deadline = deadline
    }
}
