internal import Domain
internal import EventFormat
internal import HTTPServer
package import Issuing
internal import OAuth

/// The universal link: approval by an app, or the way to the page for a browser
/// (`/clients/{client_id}/flows/verify_login_link`, WireContract 7.4 and 7.5).
package struct ClientLinkRoute: Route {
    package static var paths: [String] { ["/clients/{client_id}/flows/verify_login_link"] }
    package static var methods: [Method] { [.get, .post] }
    package static var errorForm: ErrorForm { .envelope }
    /// A person follows the link of a mail; an app posts.
    package static func errorForm(_ method: Method) -> ErrorForm {
        method == .post ? .envelope : .page
    }

    private let services: SignInServices

    package init(_ services: SignInServices) { self.services = services }

    package func respond(to request: Request, in project: Project) async -> Response {
        guard request.method == .post else { return fallBack(request, project) }
        let response: Response
        do throws(EnvelopeError) { response = try await approve(request, project) } catch {
            response = .envelope(error)
        }
        return response.renewing(services.approval.nonce(in: project))
    }

    /// Without the app a browser lands here: on to the page, with nothing kept but the token.
    private func fallBack(_ request: Request, _ project: Project) -> Response {
        if let seconds = services.limits.take(.page, from: request.client) {
            let error = PipelineRefusal.rateLimited(retryAfterSeconds: seconds).oauth
            return page(error, request, project)
        }
        guard let name = request.parameters["client_id"], let id = ClientID(name),
            let query = try? request.queryParameters()
        else { return page(.unknownRequest, request, project) }
        guard project.enabledClient(id) != nil else {
            return page(OAuthError(about: id, in: project, .unknownRequest), request, project)
        }
        let token: [UInt8]
        do throws(OAuthError) {
            guard let sent = try query.optional("token") else { throw .unknownRequest }
            token = sent
        } catch { return page(error, request, project) }
        let text = String(decoding: PercentEncoding.encode(token), as: UTF8.self)
        var response = Response(.found, contentType: "text/html; charset=utf-8")
        response.add("Location", "/flows/verify_login_link?client=\(id)&token=\(text)")
        return response
    }

    private func page(_ error: OAuthError, _ request: Request, _ project: Project) -> Response {
        ErrorPage(error: error, look: PageLook(request, project, nil)).response(to: request)
    }

    private func approve(_ request: Request, _ project: Project)
        async throws(EnvelopeError) -> Response
    {
        // Also what does not fail costs reads of the log (limit L4).
        let limits = services.limits
        try PipelineRefusal.refuseEnvelope(limits.take(.page, from: request.client))
        // A scanner that drives a browser approves nothing (WireContract 7.4).
        guard !request.comesFromBrowser else {
            throw EnvelopeError(.accessDenied, "an app approves here, not a browser")
        }
        let failures = LinkFailures(limits, request)
        try failures.admit()
        let form = try form(of: request)
        guard let token = form.single("token") else {
            throw EnvelopeError(.invalidLoginLink, "the login link is not valid")
        }
        let number = try number(form.single("number"))
        let presented = ApproveLoginLink.Presented(
            token: token,
            client: request.parameters["client_id"] ?? []
        )
        let browser = PageVisit.browser(request, project, services)
        do throws(ApproveLoginLink.Refusal) {
            try await services.approval.approve(
                presented,
                by: .native,
                number: number,
                proof: request.proof(in: project),
                browser
            )
            return .status("approved")
        } catch {
            return try answer(error, failures)
        }
    }

    private func answer(_ refusal: ApproveLoginLink.Refusal, _ failures: LinkFailures)
        throws(EnvelopeError) -> Response
    {
        switch refusal {
        case .numberRequired(let view): return .confirmation(view)
        case .wrongNumber:
            failures.record()
            throw EnvelopeError(.wrongNumber, "the number is wrong")
        case .otherDevice:
            throw EnvelopeError(.loginLinkApprovalDenied, "only the device that asked may approve")
        case .dead(let why):
            failures.record()
            throw EnvelopeError(.invalidLoginLink, "the login link is not valid", cause: why)
        case .denied:
            failures.record()
            throw EnvelopeError(.invalidLoginLink, "the login link is not valid", cause: "denied")
        case .failed(let error): throw EnvelopeError(error)
        }
    }

    /// The parameters of query and body as one form: a token in each would be two.
    private func form(of request: Request) throws(EnvelopeError) -> Form {
        let fields = try queryForm(request).fields + postedForm(request).fields
        let form = Form(fields: fields)
        do throws(OAuthError) {
            try RequestParameters(form).refuseRepeats(of: ["token", "number"])
        } catch { throw EnvelopeError(error) }
        return form
    }

    private func postedForm(_ request: Request) throws(EnvelopeError) -> Form {
        guard !request.body.isEmpty else { return Form(fields: []) }
        guard request.isSent(as: .form) else {
            throw EnvelopeError(.badRequest, "request content type is invalid")
        }
        do { return try Form(parsing: request.body) } catch {
            throw EnvelopeError(.badRequest, "request body is malformed", cause: "\(error)")
        }
    }

    private func queryForm(_ request: Request) throws(EnvelopeError) -> Form {
        do { return try Form(parsing: request.query) } catch {
            throw EnvelopeError(.badRequest, "request query is malformed", cause: "\(error)")
        }
    }

    private func number(_ text: [UInt8]?) throws(EnvelopeError) -> Int? {
        guard let text else { return nil }
        guard let number = LinkNumber.read(text) else {
            throw EnvelopeError(.badRequest, "the number is not two digits")
        }
        return number
    }
}

extension Request {
    /// No app sends these, every browser does.
    fileprivate var comesFromBrowser: Bool {
        headers.contains("origin") || headers.hasName(beginningWith: "sec-fetch-")
    }
}

extension Response {
    fileprivate static func status(_ status: String) -> Self {
        var writer = JSONWriter()
        writer.object { $0.member("status", status) }
        return .result(writer.bytes)
    }

    fileprivate static func confirmation(_ view: ApproveLoginLink.LinkView) -> Self {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("status", "confirmation_required")
            writer.member("client_name", view.client.name)
            if let device = view.device { writer.member("device", device) }
            if let place = view.place { writer.member("place", place) }
            writer.member("requested_at", verbatim: RFC3339.milliseconds(view.requestedAt))
            writer.member("numbers", view.numbers.map(WaitingPage.digits))
        }
        return .result(writer.bytes)
    }
}
