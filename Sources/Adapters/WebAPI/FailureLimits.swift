internal import Domain
internal import Issuing
internal import OAuth

/// The limits that count what failed, so that nobody behind a shared address pays for successes
/// (Security 9, L1 and L9).
package struct FailureLimits: Sendable {
    private let limits: RequestLimits

    package init(_ limits: RequestLimits) { self.limits = limits }

    /// Answers a client that posts a form: the limits, the form, the client's limits, then `answer`
    /// (Security 3, rule 1); what is refused counts, and `refused` hears of it.
    func guarding(
        _ request: Request,
        by clients: ClientAuthentication,
        in project: Project,
        refused: (OAuthError, ClientRequest?) -> Void = { _, _ in },
        _ answer: (ClientRequest) async throws(OAuthError) -> Response
    ) async -> Response {
        var posted: ClientRequest?
        do throws(OAuthError) {
            try admit(request)
            let client = try ClientRequest(request, clients)
            posted = client
            try admit(request, as: client.claimedClient, in: project)
            return try await answer(client)
        } catch {
            var error = error
            // Who used `Authorization`, for whatever, hears how (WireContract 1.2), also when
            // only the newest configuration refuses the client.
            if error.code == .invalidClient, request.headers.contains("authorization") {
                error.challenge = .basic(realm: project.issuer)
            }
            record(error, request, as: posted?.claimedClient, in: project)
            refused(error, posted)
            var response = Response.oauth(error)
            // Of others the log keeps nothing: what they call themselves could be anything.
            response.refusal?.client = posted?.claimedClient.flatMap { ClientID($0) }
                .flatMap { project.client($0)?.id.text }
            return response
        }
    }

    /// - Throws: `x_rate_limited` when this address has failed too often of late.
    func admit(_ request: Request) throws(OAuthError) {
        try PipelineRefusal.refuseOAuth(limits.check(.failedRequest, request.client.limitKey))
    }

    /// - Throws: `x_rate_limited` when this address has failed to prove this client too often.
    private func admit(_ request: Request, as client: [UInt8]?, in project: Project)
        throws(OAuthError)
    {
        guard let client else { return }
        let key = Self.key(client, request, project)
        try PipelineRefusal.refuseOAuth(limits.check(.failedClientAuthentication, key))
    }

    /// Counts what the client did wrong; what the server could not do is not its fault, nor that
    /// its project is suspended, and that the first request of every client lacks a nonce is the
    /// protocol (RFC 9449 section 8).
    func record(
        _ error: OAuthError,
        _ request: Request,
        as client: [UInt8]? = nil,
        in project: Project
    ) {
        guard error.status < 500, error.code != .rateLimited, error.code != .useDPoPNonce,
            !error.isOfSuspendedProject
        else { return }
        limits.charge(.failedRequest, request.client.limitKey)
        guard error.code == .invalidClient, let client else { return }
        limits.charge(.failedClientAuthentication, Self.key(client, request, project))
    }

    /// Counts what failed although the answer says that it did not.
    func recordSilent(_ request: Request) {
        limits.charge(.failedRequest, request.client.limitKey)
    }

    private static func key(_ client: [UInt8], _ request: Request, _ project: Project) -> [UInt8] {
        RequestLimits.key(client, of: project.number, at: request.client)
    }
}
