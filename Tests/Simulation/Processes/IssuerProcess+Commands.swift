import Domain
import Issuing

extension IssuerProcess {
    /// Runs one command of one aggregate; true when it is committed, or changed nothing.
    func run<A: Aggregate>(
        _ aggregate: A.Type,
        _ stream: StreamID,
        _ command: @Sendable (A.State) -> A.Command
    ) async -> Bool {
        guard let project = projects.all.first else { return false }
        let request = CommandRequest(
            project: project,
            attributes: EventAttributes(actor: .system),
            deadline: clock.deadline(inMilliseconds: 3000)
        )
        do {
            try await commands.run(request, on: stream) {
                (work: inout Work) async throws(CommandError<A.Rejection>) in
                var loaded: Loaded<A>
                do throws(StoreError) { loaded = try await work.load(aggregate, stream) } catch {
                    throw .store(error)
                }
                let command = command(loaded.state)
                do throws(A.Rejection) { try work.decide(command, on: &loaded) } catch {
                    throw .refused(error)
                }
            }
            return true
        } catch { return false }
    }
}
