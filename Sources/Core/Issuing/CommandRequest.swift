package import Domain

/// On whose behalf a command runs, in which project, and until when.
package struct CommandRequest: Sendable {
    /// In which order a full node turns commands away (Architecture 7).
    package enum Priority: String, Sendable, CaseIterable {
        /// What begins something new: turned away first.
        case starting
        case usual
        /// What ends something, or an operator orders: turned away last.
        case ending
    }

    package var project: Project
    package var attributes: EventAttributes
    package var deadline: Deadline
    package var priority = Priority.usual
    /// Hears of what was committed, after it was.
    package var committed: (@Sendable (Commit) -> Void)?

    package init(project: Project, attributes: EventAttributes, deadline: Deadline) {
        self.project = project
        self.attributes = attributes
        self.deadline = deadline
    }

    /// The same, as one that begins something new.
    var starting: Self { prioritized(.starting) }

    /// The same, as one that ends something.
    var ending: Self { prioritized(.ending) }

    private func prioritized(_ priority: Priority) -> Self {
        var request = self
        request.priority = priority
        return request
    }
}
