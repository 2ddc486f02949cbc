internal import Domain
internal import HTTPServer
package import Issuing
internal import OAuth

/// `GET` and `POST /oauth2/authorize` (RFC 6749 section 3.1, WireContract 4).
package struct AuthorizeRoute: Route {
    package static var paths: [String] { ["/oauth2/authorize"] }
    package static var methods: [Method] { [.get, .post] }
    package static func slots(_ method: Method) -> Slots { .starting }
    package static var errorForm: ErrorForm { .page }
    package static var headAnswer: HeadAnswer { .nothing }

    private static let referred = ReferredForm(
        path: "/oauth2/authorize",
        purpose: .authorize,
        parameters: AuthorizationRequestReader.parameters,
        refusal: "AZ-001"
    )

    private let services: SignInServices

    package init(_ services: SignInServices) { self.services = services }

    package func respond(to request: Request, in project: Project) async -> Response {
        await PageVisit.respond(
            request,
            project,
            services,
            parameters: Self.referred.singles
        ) { visit throws(OAuthError) in
            if request.method == .post { return try Self.referred.refer(visit) }
            let form = try Self.referred.form(of: visit)
            let isURL = OpenPreAuthenticatedURL.isMeant(form)
            let isAppSession = !isURL && OpenAppSession.isMeant(form, in: project)
            if isURL || isAppSession, visit.request.isPrefetch { return .empty(.noContent) }
            try count(form, visit)
            if isURL { return try await open(form, visit) }
            if isAppSession { return try await openOwnPage(form, visit) }
            do throws(AuthorizationRefusal) {
                return visit.response(to: try await services.authorize.start(form, visit.browser))
            } catch {
                switch error {
                case .page(let why): throw why
                case .redirect(let answer):
                    return visit.response(to: SignInAnswer(.respond(answer)))
                }
            }
        }
    }

    /// A browser that an app has vouched for (WireContract 4.4).
    private func open(_ form: Form, _ visit: PageVisit) async throws(OAuthError) -> Response {
        do throws(AuthorizationRefusal) {
            let opened = try await services.urls.open(
                form,
                visit.browser,
                isSameOrigin: visit.isSameOrigin
            )
            var response = Response.leaving(opened.location)
            let cookies = Cookies(of: visit.project)
            cookies.set(.accessToken(opened.accessToken), on: &response)
            cookies.set(.appSession(opened.appSession, .url), on: &response)
            return response
        } catch {
            switch error {
            case .page(let why): throw why
            case .redirect(let answer):
                return visit.response(to: SignInAnswer(.respond(answer)))
            }
        }
    }

    /// A page of ours, for a user whose app has vouched for them (WireContract 9.6).
    private func openOwnPage(_ form: Form, _ visit: PageVisit)
        async throws(OAuthError) -> Response
    {
        do throws(AuthorizationRefusal) {
            let opened = try await services.appSessions.open(
                form,
                visit.browser,
                isSameOrigin: visit.isSameOrigin
            )
            return visit.response(
                to: SignInAnswer(
                    .respond(opened.response),
                    cookies: [.appSession(opened.appSession, .token)]
                )
            )
        } catch {
            switch error {
            case .page(let why): throw why
            case .redirect(let answer):
                return visit.response(to: SignInAnswer(.respond(answer)))
            }
        }
    }

    /// L4 per client; only of what may come from it: a stranger who names it would spend what is
    /// the client's.
    private func count(_ form: Form, _ visit: PageVisit) throws(OAuthError) {
        let asking = AuthorizationRequestReader.asking(form, in: visit.project)
        guard let client = asking else { return }
        let key = RequestLimits.key(client.id.text.utf8, of: visit.project.number)
        let limits = services.limits
        try PipelineRefusal.refuseOAuth(
            limits.take(.pagePerClient, visit.request.client.marked(key))
        )
    }
}
