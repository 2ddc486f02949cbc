internal import HTTPServer
package import Issuing
internal import OAuth

/// `/oauth2/end_session` (OpenID Connect RP-Initiated Logout, wire.md section 9.4).
package struct EndSessionRoute: Route {
    package static var paths: [String] { ["/oauth2/end_session"] }
    package static var methods: [Method] { [.get, .post] }
    package static var errorForm: ErrorForm { .page }
    package static var headAnswer: HeadAnswer { .nothing }
    package static var isPriority: Bool { true }

    private let services: SignInServices

    package init(_ services: SignInServices) { self.services = services }

    package func respond(to request: Request, in project: Project) async -> Response {
        await PageVisit.respond(request, project, services) { visit throws(OAuthError) in
            if request.method == .post { return try refer(visit) }
            let form = try referred(visit) ?? visit.form
            switch try await services.endSession.start(form, visit.browser) {
            case .confirm(let reference):
                let text = String(decoding: reference, as: UTF8.self)
                return .redirect("/logout?reference=\(text)\(visit.look.query)")
            case .done(let location): return .loggedOut(location, visit)
            }
        }
    }

    /// A Lax cookie does not come with a cross-site POST: the same request by GET.
    private func refer(_ visit: PageVisit) throws(OAuthError) -> Response {
        let known = visit.form.fields.filter { field in
            EndSession.parameters.contains { field.name.elementsEqual($0.utf8) }
        }
        let now = services.context.commands.clock.now
        let sealed = services.references.seal(Form.encode(known), for: .endSession, at: now)
        guard let sealed else {
            throw OAuthError(.invalidRequest, "the request is too long", refusal: "ES-001")
        }
        return .redirect("/oauth2/end_session?reference=\(String(decoding: sealed, as: UTF8.self))")
    }

    private func referred(_ visit: PageVisit) throws(OAuthError) -> Form? {
        guard let reference = visit.form.single("reference") else { return nil }
        let now = services.context.commands.clock.now
        guard let bytes = services.references.open(reference, for: .endSession, at: now),
            let form = try? Form(parsing: bytes)
        else { throw .expiredForm }
        return form
    }
}

extension Response {
    /// Back to the client, or our page; the session's cookie goes.
    static func loggedOut(_ location: String?, _ visit: PageVisit) -> Self {
        var response =
            location.map(Self.leaving) ?? LogoutPage.done(visit.look).response()
        Cookies(of: visit.project).set(.endSession, on: &response)
        return response
    }
}
