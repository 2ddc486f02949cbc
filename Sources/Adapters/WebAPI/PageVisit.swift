internal import Domain
internal import HTTPServer
internal import Issuing
internal import OAuth
internal import Runtime

/// A browser's request to one of the pages: its cookies, its form, its answers.
package struct PageVisit {
    let request: Request
    let project: Project
    let services: SignInServices
    /// The query of a GET, the form of a POST.
    let form: Form
    let browser: BrowserRequest

    /// Every parameter our own pages read.
    static let parameters: Set<String> = [
        "tx", "form_token", "email", "action", "token", "client", "number", "result", "reference",
        "wait", "seen", "sid", "kid", "client_id", "cursor", PageLook.schemeParameter,
    ]

    /// Counts the visit (L4) and reads it; none of `parameters` may come twice.
    ///
    /// - Throws: a page 429; a page 400 for a malformed query or form.
    init(
        _ request: Request,
        _ project: Project,
        _ services: SignInServices,
        parameters: Set<String> = Self.parameters
    ) throws(OAuthError) {
        try PipelineRefusal.refuseOAuth(services.limits.take(.page, from: request.client))
        self.request = request
        self.project = project
        self.services = services
        let sent = try request.method == .post ? request.form() : request.queryParameters()
        try sent.refuseRepeats(of: parameters)
        form = sent.form
        browser = Self.browser(request, project, services)
    }

    static func browser(
        _ request: Request,
        _ project: Project,
        _ services: SignInServices
    ) -> BrowserRequest {
        let cookies = Cookies(of: project)
        return BrowserRequest(
            project: project,
            deadline: request.deadline,
            correlation: request.correlation,
            transactions: cookies.transactions(request, services.context.digester),
            session: cookies.session(request, services.context.digester),
            appSessions: cookies.appSessions(
                request,
                services.context.appSessions,
                in: project
            ),
            address: request.client.networkAddress,
            userAgent: request.userAgent,
            place: request.place
        )
    }

    var look: PageLook { PageLook(request, project, form) }

    /// The request that the page is about.
    ///
    /// - Throws: a page 404 when it is no id at all.
    func transaction() throws(OAuthError) -> StreamID {
        guard let text = form.single("tx"), let id = StreamID(text: text) else {
            throw .unknownRequest
        }
        return id
    }

    /// A posted form of ours.
    ///
    /// - Throws: a page 403 when it came from elsewhere (Security 4.5).
    func posted() throws(OAuthError) -> SignInContext.Posted {
        try requireSameOrigin()
        return SignInContext.Posted(request: try transaction(), token: form.single("form_token"))
    }

    /// `Sec-Fetch-Site` where a browser sends it, else `Origin`; one of them must be ours.
    func requireSameOrigin() throws(OAuthError) {
        let isOurs =
            saysSameOrigin
            ?? request.headers["origin"]?.elementsEqual(project.issuer.utf8) ?? false
        guard isOurs else { throw .foreignForm }
    }

    /// Whether no page of another site, nor of a sibling, led here; a browser that does not tell
    /// is believed.
    var isSameOrigin: Bool { saysSameOrigin ?? true }

    /// The same as `Sec-Fetch-Site` has it; nil where a browser does not send it.
    private var saysSameOrigin: Bool? {
        guard request.headers.contains("sec-fetch-site") else { return nil }
        let site = request.headers["sec-fetch-site"] ?? []
        return site.elementsEqual("same-origin".utf8) || site.elementsEqual("none".utf8)
    }

    /// What `action` says.
    func action(_ known: String...) throws(OAuthError) -> String {
        let text = form.single("action") ?? []
        let action = known.first { text.elementsEqual($0.utf8) }
        guard let action else {
            throw OAuthError(.invalidRequest, "the action is not known", refusal: "SI-008")
        }
        return action
    }

    /// The next step of a sign-in, with its cookies.
    func response(to answer: SignInAnswer) -> Response {
        var look = look
        if let scheme = answer.colorScheme { look.scheme = scheme }
        var response = self.response(to: answer.step, look)
        let cookies = Cookies(of: project)
        for change in answer.cookies { cookies.set(change, on: &response) }
        return response
    }

    private func response(to step: SignInStep, _ look: PageLook) -> Response {
        switch step {
        case .login(let id): return .page("/login", id, look)
        case .waiting(let id): return .page("/login/wait", id, look)
        case .selectAccount(let id): return .page("/continue", id, look)
        case .consent(let id): return .page("/consent", id, look)
        case .respond(let answer):
            var response = leaving(with: answer, look)
            response.refusal = answer.failure.map { Response.Refusal($0) }
            return response
        }
    }

    private func leaving(with answer: AuthorizationResponse, _ look: PageLook) -> Response {
        guard answer.mode == .formPost else { return .leaving(answer.location) }
        return FormPostPage(response: answer, look: look, scripts: services.scripts).page
            .response()
    }

    /// Every page that can fail.
    static func respond(
        _ request: Request,
        _ project: Project,
        _ services: SignInServices,
        parameters: Set<String> = Self.parameters,
        _ body: (PageVisit) async throws(OAuthError) -> Response
    ) async -> Response {
        var look = PageLook(request, project, nil)
        do {
            let visit = try PageVisit(request, project, services, parameters: parameters)
            look = visit.look
            return try await body(visit)
        } catch { return ErrorPage(error: error, look: look).response(to: request) }
    }
}

extension Response {
    /// To one of our pages.
    fileprivate static func page(_ path: String, _ id: StreamID, _ look: PageLook) -> Self {
        .redirect("\(path)?tx=\(id)\(look.query)")
    }

    /// To one of our own addresses: an empty HTML body (WireContract 4).
    static func redirect(_ location: String) -> Self {
        var response = Response(.seeOther, contentType: "text/html; charset=utf-8")
        response.add("Location", location)
        return response
    }

    /// To the client: its page learns nothing of ours (Security 7.2).
    static func leaving(_ location: String) -> Self {
        var response = Self.redirect(location)
        response.add("Referrer-Policy", "no-referrer")
        return response
    }
}
