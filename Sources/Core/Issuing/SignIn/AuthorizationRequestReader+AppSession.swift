internal import Domain
internal import OAuth

// App-session tokens: steps 1 to 12 of WireContract 4.2, and what 9.6 adds.
extension AuthorizationRequestReader {
    /// A request that has everything; whether its token is any good is seen later.
    struct AskedAppSession: Sendable {
        var request: RequestParameters
        var client: ClientSettings
        var destination: AuthorizationResponse.Destination
        /// The one whose browser it is to become, if the request says so.
        var expectedSubject: SubjectID?
        /// Seconds.
        var maxAge: Int64?
    }

    func readAppSession(_ form: Form, in project: Project)
        throws(AuthorizationRefusal) -> AskedAppSession
    {
        let request = RequestParameters(form)
        let client: ClientSettings
        let target: AppSessionTarget
        do throws(OAuthError) {
            try Self.checkSizes(request)
            client = try Self.client(request, in: project)
            guard !client.requiresPushedRequests else { throw .unpushedRequest }
            target = try Self.appSessionTarget(request, of: client, in: project)
        } catch { throw .page(error) }
        let mode = Self.answerMode(request, to: target.uri)
        let isUnfit = target.isOurs && mode == .formPost
        let destination = AuthorizationResponse.Destination(
            request,
            to: target.uri,
            by: isUnfit ? .query : mode,
            in: project
        )
        do throws(OAuthError) {
            // Our own pages take no form but their own.
            guard !isUnfit else { throw .unfitResponseMode }
            try Self.checkResponseMode(request, to: target.uri)
            let asked = try vouched(request, client, in: project)
            guard asked.prompt == [.none] else {
                throw OAuthError(.invalidRequest, "prompt must be none", refusal: "AZ-010")
            }
            return AskedAppSession(
                request: request,
                client: client,
                destination: destination,
                expectedSubject: asked.hint?.subject,
                maxAge: asked.maxAge
            )
        } catch { throw .redirect(AuthorizationResponse(to: destination, failing: error)) }
    }

    /// Whether the client is still there, and the address still one of its own or of ours.
    ///
    /// - Throws: what is said on a page, as nothing is proven any more (Security I21).
    static func recheck(_ asked: AskedAppSession, in project: Project) throws(OAuthError) {
        let client = try Self.client(asked.request, in: project)
        let now = try appSessionTarget(asked.request, of: client, in: project)
        guard now.uri == asked.destination.redirectURI else { throw .wrongRedirectURI }
    }

    struct AppSessionTarget {
        var uri: RedirectURI
        var isOurs: Bool
    }

    /// A registered redirect URI, or our own settings: the one address of ours that is redirected
    /// to, as no code travels.
    static func appSessionTarget(
        _ request: RequestParameters,
        of client: ClientSettings,
        in project: Project
    ) throws(OAuthError) -> AppSessionTarget {
        if let own = settings(try request.optional("redirect_uri"), in: project) {
            return AppSessionTarget(uri: own, isOurs: true)
        }
        return AppSessionTarget(uri: try redirectURI(request, of: client).uri, isOurs: false)
    }

    /// The address of our own settings, if `text` is one.
    static func settings(_ text: [UInt8]?, in project: Project) -> RedirectURI? {
        guard let text, let uri = RedirectURI(text),
            let parsed = try? AbsoluteURI(text), let origin = parsed.origin?.description,
            origin.isSame(as: project.issuer)
        else { return nil }
        let path = parsed.path.utf8
        guard path.elementsEqual("/settings".utf8) || path.starts(with: "/settings/".utf8) else {
            return nil
        }
        return uri
    }
}
