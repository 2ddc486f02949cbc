package import Domain

/// What an operator tells a project to do: who, why, and how long they wait for it.
package struct Order: Sendable {
    private static let reasonBytesMax = 200

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

    /// Whether a text is a reason: 1–200 bytes that can be shown in a line of a terminal.
    package static func isReason(_ text: String) -> Bool {
        1...reasonBytesMax ~= text.utf8.count && text.unicodeScalars.allSatisfy(\.isShownInLine)
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
