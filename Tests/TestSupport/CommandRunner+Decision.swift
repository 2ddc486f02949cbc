package import Domain
package import Issuing

extension CommandRunner {
    /// Commits one decision of one aggregate; its events carry the subject, if any.
    ///
    /// - Throws: what the aggregate or the store refuses.
    package func run<A: Aggregate>(
        _ aggregate: A.Type,
        _ stream: StreamID,
        in project: Project,
        for subject: SubjectID? = nil,
        _ command: () -> A.Command
    ) async throws {
        var attributes = EventAttributes(actor: .system)
        attributes.subject = subject
        let request = CommandRequest(
            project: project,
            attributes: attributes,
            deadline: Fixture.noDeadline
        )
        let command = command()
        try await run(request, on: stream) {
            (work: inout Work) async throws(CommandError<A.Rejection>) in
            var loaded: Loaded<A>
            do throws(StoreError) { loaded = try await work.load(aggregate, stream) } catch {
                throw .store(error)
            }
            do throws(A.Rejection) { try work.decide(command, on: &loaded) } catch {
                throw .refused(error)
            }
        }
    }
}
