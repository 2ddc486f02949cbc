internal import Domain
internal import OAuth

// Steps 1–4: what must hold before anything is redirected (Security I21).
extension AuthorizationRequestReader {
    static func checkSizes(_ request: RequestParameters) throws(OAuthError) {
        try request.refuseRepeats(of: parameters)
        for name in ["state", "nonce", "x_state"] {
            let value = try request.optional(name)
            guard value.map({ $0.count <= stateBytesMax }) ?? true else { throw .tooLong(name) }
        }
        let uri = try request.optional("redirect_uri")
        guard uri.map({ $0.count <= RedirectURI.bytesMax }) ?? true else {
            throw .tooLong("redirect_uri")
        }
        if let scope = try request.optional("scope"), !Scope.fits(scope) {
            throw .tooLong("scope")
        }
        _ = try request.resources()
    }

    static func client(_ request: RequestParameters, in project: Project)
        throws(OAuthError) -> ClientSettings
    {
        let text = try request.required("client_id")
        guard let id = ClientID(text) else { throw .unknownClient }
        guard let client = project.enabledClient(id)?.value else {
            throw OAuthError(about: id, in: project, .unknownClient)
        }
        try requireUsers(of: client)
        return client
    }

    static func requireUsers(of client: ClientSettings) throws(OAuthError) {
        guard client.applicationType != .m2m else {
            throw OAuthError(.unauthorizedClient, "the client has no users", refusal: "AZ-003")
        }
    }

    static func redirectURI(_ request: RequestParameters, of client: ClientSettings)
        throws(OAuthError) -> (uri: RedirectURI, isGiven: Bool)
    {
        // FAPI 2.0 Security Profile section 5.3.2.2: named, though it be the only one.
        let named =
            client.isFAPI
            ? try request.required("redirect_uri") : try request.optional("redirect_uri")
        guard let text = named else {
            guard client.redirectURIs.count == 1, let only = client.redirectURIs.first else {
                throw .wrongRedirectURI
            }
            return (only, false)
        }
        let isNative = client.applicationType == .native
        guard let uri = RedirectURI(text),
            client.redirectURIs.contains(where: {
                RedirectURIRules.matches(uri, $0, isNative: isNative)
            })
        else { throw .wrongRedirectURI }
        return (uri, true)
    }
}

extension OAuthError {
    static var wrongRedirectURI: Self {
        Self(
            .invalidRequest,
            "the redirect_uri is not one of the client's",
            refusal: "AZ-005"
        )
    }

    fileprivate static func tooLong(_ name: String) -> Self {
        Self(.invalidRequest, "a parameter is too long", cause: name, refusal: "AZ-001")
    }
}
