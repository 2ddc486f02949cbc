internal import Domain

// An operator stops all that a project grants, and lets it go on (decision 0201).
extension ProjectAdministration {
    /// From its commit on no node grants anything in the project or signs anybody in; what was
    /// granted before waits for `resume`.
    ///
    /// One that is suspended already stays so, for the reason it was given first.
    ///
    /// - Throws: `.store` when the log did not answer.
    package func suspend(by order: Order) async throws(OperationError) {
        try await decide(.suspend(reason: order.reason), by: order)
    }

    /// The project goes on with all it had; one that is not suspended goes on as it did.
    ///
    /// - Throws: as `suspend`.
    package func resume(by order: Order) async throws(OperationError) {
        try await decide(.resume, by: order)
    }

    private func decide(_ command: ProjectConfig.Command, by order: Order)
        async throws(OperationError)
    {
        let stream = order.project.configuration.stream
        do throws(CommandError<OperationError>) {
            try await commands.run(order.request.ending, on: stream) {
                (work: inout Work) async throws(CommandError<OperationError>) in
                var config: Loaded<ProjectConfig>
                do throws(StoreError) {
                    config = try await work.load(ProjectConfig.self, stream)
                } catch { throw .store(error) }
                do throws(ProjectConfig.Rejection) {
                    try work.decide(command, on: &config)
                } catch {
                    if case .unknown = error { throw .refused(.notFound) }
                    throw .refused(.conflict(.document(error)))
                }
            }
        } catch { throw error.operation }
        // It has happened; this node need not wait for the news of it.
        try? await commands.projects.reload(order.project.number, by: order.deadline)
    }
}
