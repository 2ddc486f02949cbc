internal import HTTPServer
package import Issuing
internal import OAuth

/// `/oauth2/end_session` (OpenID Connect RP-Initiated Logout, WireContract 9.4).
package struct EndSessionRoute: Route {
    package static var paths: [String] { ["/oauth2/end_session"] }
    package static var methods: [Method] { [.get, .post] }
    package static var errorForm: ErrorForm { .page }
    package static var headAnswer: HeadAnswer { .nothing }
    package static var outlivesSuspension: Bool { true }

    private static let referred = ReferredForm(
        path: "/oauth2/end_session",
        purpose: .endSession,
        parameters: EndSession.parameters,
        refusal: "ES-001"
    )

    private let services: SignInServices

    package init(_ services: SignInServices) { self.services = services }

    package static func slots(_ method: Method) -> Slots { .ending }

    package func respond(to request: Request, in project: Project) async -> Response {
        await PageVisit.respond(
            request,
            project,
            services,
            parameters: Self.referred.singles
        ) { visit throws(OAuthError) in
            if request.method == .post { return try Self.referred.refer(visit) }
            // Nobody has asked for it yet.
            if request.isPrefetch { return .empty(.noContent) }
            let form = try Self.referred.form(of: visit)
            switch try await services.endSession.start(form, visit.browser) {
            case .confirm(let reference):
                let text = String(decoding: reference, as: UTF8.self)
                return .redirect("/logout?reference=\(text)\(visit.look.query)")
            case .done(let location): return .loggedOut(location, visit)
            }
        }
    }
}

extension Response {
    /// Back to the client, or our page, which a form goes to by redirect; the cookies of all
    /// sessions go.
    ///
    /// Also the web client's, which would let the next person at this browser in, and those that
    /// bind it to requests: a consent page behind it would take that person's press for the user's
    /// (decision 0211). The app's own session lives on.
    static func loggedOut(_ location: String?, _ visit: PageVisit) -> Self {
        var response =
            if let location { Self.leaving(location) } else if visit.request.method == .post {
                Self.redirect(visit.look.path("/logout"))
            } else { LogoutPage.done(visit.look).response() }
        let cookies = Cookies(of: visit.project)
        var changes = [CookieChange.endSession, .endAppSessions]
        // Where nothing of it is there it is not ours: another project may have the domain, too.
        if visit.browser.appSession(.url) != nil || cookies.hasAccessToken(visit.request) {
            changes.append(.endAccessToken)
        }
        for change in changes { cookies.set(change, on: &response) }
        cookies.end(visit.browser.transactions, on: &response)
        return response
    }
}
