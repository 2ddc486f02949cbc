internal import Domain
internal import OAuth

// Pre-authenticated URLs: steps 1 to 12 of WireContract 4.2, and b, c, e of 4.4.
extension AuthorizationRequestReader {
    /// Both of its values, in either order.
    private static let urlType = "urn:authgear:params:oauth:response-type:pre-authenticated-url"
    package static let urlResponseType = "\(urlType) token"

    static func isURLResponseType(_ text: [UInt8]) -> Bool {
        text.elementsEqual(urlResponseType.utf8) || text.elementsEqual("token \(urlType)".utf8)
    }

    /// A request that has everything; whether it is any good the streams tell.
    struct AskedURL: Sendable {
        var request: RequestParameters
        var client: ClientSettings
        var destination: AuthorizationResponse.Destination
        var hint: IDTokenClaims
        var token: OpaqueToken
        var scope: Scope?

        /// The address as it came, and `state`: no other parameter is added.
        var location: String {
            guard let state = destination.state else { return destination.redirectURI.text }
            return AuthorizationResponse.location(
                destination.redirectURI,
                adding: [AuthorizationResponse.Parameter(name: "state", value: state)]
            )
        }
    }

    func readURL(_ form: Form, in project: Project) throws(AuthorizationRefusal) -> AskedURL {
        let request = RequestParameters(form)
        let client: ClientSettings
        let redirectURI: RedirectURI
        do throws(OAuthError) {
            try Self.checkSizes(request)
            client = try Self.client(request, in: project)
            guard !client.requiresPushedRequests else { throw .unpushedRequest }
            redirectURI = try Self.urlRedirectURI(request, of: client)
        } catch { throw .page(error) }
        let destination = AuthorizationResponse.Destination(
            request,
            to: redirectURI,
            by: .query,
            in: project
        )
        do {
            return try askedURL(request, client, destination, in: project)
        } catch { throw .redirect(AuthorizationResponse(to: destination, failing: error)) }
    }

    private func askedURL(
        _ request: RequestParameters,
        _ client: ClientSettings,
        _ destination: AuthorizationResponse.Destination,
        in project: Project
    ) throws(OAuthError) -> AskedURL {
        let mode = try request.optional("response_mode")
        guard mode?.elementsEqual("cookie".utf8) ?? true else {
            throw .malformedURL("response_mode")
        }
        try Self.refuseObject(request)
        let asked = try vouched(request, client, in: project)
        guard asked.prompt == [.none] else { throw .malformedURL("prompt") }
        guard asked.maxAge == nil else { throw .malformedURL("max_age") }
        guard let hint = asked.hint else { throw .malformedURL("id_token_hint") }
        let text = try request.required("x_pre_authenticated_url_token")
        guard mode != nil else { throw .malformedURL("response_mode") }
        try Self.requireURLs(of: client, in: project)
        guard let token = OpaqueToken(.preAuthenticatedURL, reading: text, digester: digester)
        else { throw .malformedURL("x_pre_authenticated_url_token") }
        return AskedURL(
            request: request,
            client: client,
            destination: destination,
            hint: hint,
            token: token,
            scope: asked.scope
        )
    }

    /// Whether the client is still opened there: by the configuration of now, since the one that
    /// the request was checked by may have changed.
    ///
    /// - Throws: what is said on a page, as nothing is proven any more (Security I21).
    static func recheck(_ asked: AskedURL, in project: Project) throws(OAuthError) {
        let client = try Self.client(asked.request, in: project)
        let redirectURI = try urlRedirectURI(asked.request, of: client)
        guard redirectURI == asked.destination.redirectURI else { throw .wrongRedirectURI }
    }

    static func requireURLs(of client: ClientSettings, in project: Project) throws(OAuthError) {
        guard client.opensURLs, project.settings.cookieDomain != nil else {
            throw OAuthError(
                .unauthorizedClient,
                "this client may not open pre-authenticated URLs",
                refusal: "PU-001"
            )
        }
    }

    /// One of the client's, or any address at one of its origins.
    static func urlRedirectURI(_ request: RequestParameters, of client: ClientSettings)
        throws(OAuthError) -> RedirectURI
    {
        if let text = try request.optional("redirect_uri"), let uri = RedirectURI(text),
            let allowed = client.preAuthenticatedURL?.allowedOrigins,
            let origin = origin(of: text),
            allowed.contains(where: { $0.isSame(as: origin.description) })
        {
            return uri
        }
        return try redirectURI(request, of: client).uri
    }

    /// Path, query and fragment are free (WireContract 4.4), so only what is before them is
    /// read strictly; a backslash, which browsers take for a slash, is nowhere.
    private static func origin(of text: [UInt8]) -> Origin? {
        let marks: Set = [UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "#")]
        let slash = UInt8(ascii: "/")
        guard !text.contains(UInt8(ascii: "\\")), let first = text.firstIndex(of: slash),
            text[first...].starts(with: [slash, slash])
        else { return nil }
        let end = text[(first + 2)...].firstIndex(where: marks.contains) ?? text.endIndex
        return (try? AbsoluteURI(Array(text[..<end])))?.origin
    }
}

extension OAuthError {
    /// A parameter that these requests must have is missing or wrong.
    fileprivate static func malformedURL(_ name: String) -> Self {
        Self(
            .invalidRequest,
            "the pre-authenticated URL is malformed",
            cause: name,
            refusal: "PU-007"
        )
    }
}
