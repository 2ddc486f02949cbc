internal import Domain
internal import HTTPServer
internal import Issuing
internal import OAuth

extension UserAccess.Caller {
    /// A command that this user gives through `client`.
    func command(by request: Request, in project: Project) -> CommandRequest {
        var attributes = EventAttributes(
            actor: .subject(subject),
            correlation: request.correlation
        )
        attributes.client = client
        return CommandRequest(
            project: project,
            attributes: attributes,
            deadline: request.deadline
        )
    }
}

extension UserAccess {
    /// Who sent the request: the head of every route for a user's own things.
    ///
    /// - Throws: as `caller(with:in:by:)`.
    func caller(
        of request: Request,
        in project: Project
    ) async throws(EnvelopeError) -> Caller {
        try await caller(
            with: request.accessToken(in: project),
            in: project,
            by: request.deadline
        )
    }
}
