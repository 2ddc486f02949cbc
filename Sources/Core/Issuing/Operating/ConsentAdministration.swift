package import Domain

/// What an operator does about what a user has allowed clients (WireContract 9.7, decision
/// 0175).
package struct ConsentAdministration: Sendable {
    private let commands: CommandRunner
    private let consents: Consents

    package init(commands: CommandRunner) {
        self.commands = commands
        consents = Consents(commands: commands)
    }

    /// The consents of a user that are on record, as `Consents.given` has them.
    ///
    /// - Throws: `.notFound` for a user that the project never had.
    package func given(by subject: SubjectID, in project: Project, deadline: Deadline)
        async throws(OperationError) -> Consents.List
    {
        try await commands.requireKnown(subject, in: project, by: deadline)
        do { return try await consents.given(by: subject, deadline: deadline) } catch {
            throw .store(error)
        }
    }

    /// Takes a user's consent back, as they would themselves (`Consents.withdraw`).
    ///
    /// - Throws: `.notFound` for a user that the project never had.
    package func withdraw(
        from client: ClientID,
        of subject: SubjectID,
        by order: Order
    ) async throws(OperationError) -> Consents.Withdrawal {
        try await commands.requireKnown(subject, in: order.project, by: order.deadline)
        do {
            return try await consents.withdraw(
                from: client,
                of: subject,
                by: .operator,
                request: order.request
            )
        } catch { throw .store(error) }
    }
}
