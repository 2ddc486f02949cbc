package import Domain

/// What an operator tells a project to do: who, why, and how long they wait for it.
package struct Order: Sendable {
    package let project: Project
    let holder: Operator
    let reason: String
    let deadline: Deadline

    package init(in project: Project, by holder: Operator, reason: String, deadline: Deadline) {
        self.project = project
        self.holder = holder
        self.reason = reason
        self.deadline = deadline
    }

    /// The command that carries it out.
    var request: CommandRequest {
        CommandRequest(
            project: project,
            attributes: holder.attributes(reason: reason),
            deadline: deadline
        )
    }
}
