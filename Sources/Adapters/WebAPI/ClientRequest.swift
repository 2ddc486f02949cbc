internal import Domain
internal import HTTPServer
internal import Issuing
internal import OAuth

/// A form posted to an `/oauth2/*` endpoint and the client that sent it.
struct ClientRequest: Sendable {
    let form: RequestParameters
    /// What it calls itself, before anything is proven: only limits and the log look at it.
    let claimedClient: [UInt8]?

    init(_ request: Request, _ clients: ClientAuthentication) throws(OAuthError) {
        form = try request.form()
        if let header = request.headers["authorization"],
            let basic = BasicCredentials(headerValue: header)
        {
            claimedClient = basic.client
        } else {
            claimedClient =
                form.form.single("client_id")
                ?? clients.claimedClient(ofAssertionIn: form.form)
        }
    }

    /// Whether it brought anything that names or proves a client; an empty value is none, and an
    /// access token in `Authorization` is its user's.
    ///
    /// - Throws: `invalid_request` when it brought one twice.
    func namesClient(_ request: Request) throws(OAuthError) -> Bool {
        try form.refuseRepeats(of: ClientAuthentication.parameters)
        let isToken = request.credentials("bearer") != nil || request.credentials("dpop") != nil
        guard isToken || !request.headers.contains("authorization") else { return true }
        for name in ClientAuthentication.parameters where try form.optional(name) != nil {
            return true
        }
        return false
    }

    /// The caller, authenticated; `provingItself`: naming itself is not enough; `isAudience`:
    /// an assertion may be for this endpoint alone, too (WireContract 6.3); `evenSuspended`: as
    /// of `ClientAuthentication`.
    func caller(
        of request: Request,
        by clients: ClientAuthentication,
        in project: Project,
        provingItself: Bool = false,
        isAudience: Bool = true,
        evenSuspended: Bool = false
    ) throws(OAuthError) -> Caller {
        let path = isAudience ? request.path : TokenRoute.paths[0]
        let caller = try authenticate(
            request,
            by: clients,
            at: project.issuer + path,
            in: project,
            evenSuspended
        )
        // Naming oneself is no authentication (RFC 7662 section 2.1).
        guard !provingItself || caller.client.authenticationMethod != .none else {
            throw .invalidClient
        }
        return caller
    }

    private func authenticate(
        _ request: Request,
        by clients: ClientAuthentication,
        at endpoint: @autoclosure () -> String,
        in project: Project,
        _ evenSuspended: Bool
    ) throws(OAuthError) -> Caller {
        let accessToken = request.accessToken(in: project)
        let (client, assertion) = try clients.authenticate(
            form,
            // An access token there is for the grant type, not for the client (WireContract 5.5).
            authorization: accessToken == nil ? request.headers["authorization"] : nil,
            endpoint: endpoint(),
            in: project,
            evenSuspended: evenSuspended
        )
        return Caller(
            project: project,
            client: client,
            assertion: assertion,
            accessToken: accessToken,
            proofRequest: request.headers.contains("dpop") ? request.proof(in: project) : nil,
            deadline: request.deadline,
            correlation: request.correlation
        )
    }
}

extension Request {
    /// What it brought to prove a key with, and what that must be for; `origin`: where its route is
    /// when that is not the issuer.
    func proof(in project: Project, at origin: String? = nil) -> DPoPProofs.Request {
        DPoPProofs.Request(
            headers: headers.all("dpop"),
            method: sentMethod.rawValue,
            url: (origin ?? project.issuer) + path
        )
    }

    /// The access token in `Authorization`, if there is one; `origin` as above.
    func accessToken(in project: Project, at origin: String? = nil) -> AccessProofs.Presented? {
        let bearer = credentials("bearer")
        guard let token = bearer ?? credentials("dpop") else { return nil }
        return AccessProofs.Presented(
            token: token,
            scheme: bearer == nil ? .dpop : .bearer,
            request: proof(in: project, at: origin)
        )
    }
}
