internal import Domain
internal import Issuing
internal import OAuth

/// A form posted to an `/oauth2/*` endpoint and the client that sent it.
struct ClientRequest: Sendable {
    let form: TokenRequest
    /// What it calls itself, before anything is proven: only limits look at it.
    let claimedClient: [UInt8]?

    init(_ request: Request) throws(OAuthError) {
        form = try request.form()
        if let header = request.headers["authorization"],
            let basic = BasicCredentials(headerValue: header)
        {
            claimedClient = basic.client
        } else {
            claimedClient = form.form.single("client_id")
        }
    }

    /// Whether it brought anything that names or proves a client.
    func namesClient(_ request: Request) -> Bool {
        request.headers.contains("authorization")
            || ClientAuthentication.parameters.contains { form.mentions($0) }
    }

    /// The caller, authenticated.
    func caller(
        of request: Request,
        by clients: ClientAuthentication,
        in project: Project
    ) throws(OAuthError) -> Caller {
        let (client, assertion) = try clients.authenticate(
            form,
            authorization: request.headers["authorization"],
            endpoint: project.issuer + request.path,
            in: project
        )
        return Caller(
            project: project,
            client: client,
            assertion: assertion,
            deadline: request.deadline,
            correlation: request.id.stream
        )
    }
}
