internal import HTTPServer
package import Issuing
internal import OAuth

/// `GET` and `POST /oauth2/authorize` (RFC 6749 section 3.1, wire.md section 4).
package struct AuthorizeRoute: Route {
    package static var paths: [String] { ["/oauth2/authorize"] }
    package static var methods: [Method] { [.get, .post] }
    package static var bodyBytesMax: Int { 64 * 1024 }
    package static var errorForm: ErrorForm { .page }
    package static var headAnswer: HeadAnswer { .nothing }

    private let services: SignInServices

    package init(_ services: SignInServices) { self.services = services }

    package func respond(to request: Request, in project: Project) async -> Response {
        await PageVisit.respond(request, project, services) { visit throws(OAuthError) in
            if request.method == .post { return try refer(visit) }
            let form = try referred(visit) ?? visit.form
            try count(form)
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

    /// A Lax cookie does not come with a cross-site POST: the same request by GET.
    private func refer(_ visit: PageVisit) throws(OAuthError) -> Response {
        let known = visit.form.fields.filter { field in
            AuthorizationRequestReader.parameters.contains { field.name.elementsEqual($0.utf8) }
        }
        let now = services.context.commands.clock.now
        let sealed = services.references.seal(Form.encode(known), for: .authorize, at: now)
        guard let sealed else {
            throw OAuthError(.invalidRequest, "the request is too long", refusal: "AZ-001")
        }
        return .redirect("/oauth2/authorize?reference=\(String(decoding: sealed, as: UTF8.self))")
    }

    private func referred(_ visit: PageVisit) throws(OAuthError) -> Form? {
        guard let reference = visit.form.single("reference") else { return nil }
        let now = services.context.commands.clock.now
        guard let bytes = services.references.open(reference, for: .authorize, at: now),
            let form = try? Form(parsing: bytes)
        else { throw .expiredForm }
        return form
    }

    /// L4 per client.
    private func count(_ form: Form) throws(OAuthError) {
        guard let client = form.single("client_id") else { return }
        if let seconds = services.limits.take(.pagePerClient, Array(client.prefix(64))) {
            throw PipelineRefusal.rateLimited(retryAfterSeconds: seconds).oauth
        }
    }
}
