internal import Domain
package import Issuing
internal import OAuth

/// The head of every route for a user's own things: who asks, and whether not too often.
package struct UserGate: Sendable {
    private let access: UserAccess
    private let limits: RequestLimits

    package init(access: UserAccess, limits: RequestLimits) {
        self.access = access
        self.limits = limits
    }

    /// A nonce for the caller's next proof; nil when the project asks for none.
    func nonce(in project: Project) -> String? { access.nonce(in: project) }

    /// - Throws: as `UserAccess.caller`; `RateLimited` for a session that asks too often, or an
    ///   address that has failed too often (L1).
    func admit(_ request: Request, in project: Project)
        async throws(EnvelopeError) -> UserRequest
    {
        try PipelineRefusal.refuseEnvelope(limits.check(.failedRequest, request.client.limitKey))
        let presented = request.accessToken(in: project)
        let caller: UserAccess.Caller
        do throws(EnvelopeError) {
            caller = try await access.caller(
                with: presented,
                in: project,
                by: request.deadline
            )
        } catch {
            // To learn the nonce is no failure, as in `FailureLimits.record`, nor is a suspension.
            if presented != nil, error.nonce == nil, !error.isOfSuspendedProject,
                400..<500 ~= error.status
            {
                limits.charge(.failedRequest, request.client.limitKey)
            }
            throw error
        }
        try PipelineRefusal.refuseEnvelope(limits.take(.account, caller.session.stream.bytes))
        return UserRequest(request: request, caller: caller, project: project)
    }
}
