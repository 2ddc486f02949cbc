internal import Domain
internal import Issuing
internal import OAuth

/// A request of a user for their own things, let in by a `UserGate`.
package struct UserRequest: Sendable {
    let request: Request
    let caller: UserAccess.Caller
    let project: Project

    var deadline: Deadline { request.deadline }

    /// A command that this user gives through the client that asks.
    var command: CommandRequest {
        var attributes = EventAttributes(
            actor: .subject(caller.subject),
            correlation: request.correlation
        )
        attributes.client = caller.client
        return CommandRequest(
            project: project,
            attributes: attributes,
            deadline: deadline
        )
    }
}
