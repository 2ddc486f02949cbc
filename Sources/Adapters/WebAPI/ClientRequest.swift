internal import Domain
internal import HTTPServer
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
        let accessToken = request.accessToken(in: project)
        let (client, assertion) = try clients.authenticate(
            form,
            // An access token there is for the grant type, not for the client (wire.md 5.5).
            authorization: accessToken == nil ? request.headers["authorization"] : nil,
            endpoint: project.issuer + request.path,
            in: project
        )
        return Caller(
            project: project,
            client: client,
            assertion: assertion,
            accessToken: accessToken,
            proofRequest: request.proof(in: project),
            deadline: request.deadline,
            correlation: request.id.stream
        )
    }
}

extension Request {
    /// What it brought to prove a key with, and what that must be for.
    func proof(in project: Project) -> DPoPProofs.Request {
        DPoPProofs.Request(
            headers: headers.all("dpop"),
            method: method.rawValue,
            url: project.issuer + path
        )
    }

    /// The access token in `Authorization`, if there is one.
    func accessToken(in project: Project) -> AccessProofs.Presented? {
        if let token = credentials("bearer") {
            return AccessProofs.Presented(
                token: token,
                scheme: .bearer,
                request: proof(in: project)
            )
        }
        return credentials("dpop").map {
            AccessProofs.Presented(token: $0, scheme: .dpop, request: proof(in: project))
        }
    }
}
