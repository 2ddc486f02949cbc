internal import HTTPServer
package import Issuing
internal import OAuth

/// `GET /login/status`: how far a login is, held while nothing changes (WireContract 7.1).
package struct LoginStatusRoute: Route {
    package static var paths: [String] { ["/login/status"] }
    package static var methods: [Method] { [.get] }
    package static var errorForm: ErrorForm { .envelope }
    package static var handlerTime: Duration { .seconds(30) }
    package static func slots(_ method: Method) -> Slots { .held }

    private let services: SignInServices

    package init(_ services: SignInServices) { self.services = services }

    package func respond(to request: Request, in project: Project) async -> Response {
        do throws(OAuthError) {
            let visit = try PageVisit(request, project, services)
            let status = try await services.waiting.status(
                of: try visit.transaction(),
                seen: try seen(visit.form),
                waitSeconds: try wait(visit.form),
                visit.browser
            )
            var writer = JSONWriter()
            writer.object { $0.member("status", status.rawValue) }
            return .result(writer.bytes)
        } catch { return .envelope(EnvelopeError(error)) }
    }

    private func seen(_ form: Form) throws(OAuthError) -> LoginStatus {
        guard let text = form.single("seen") else { return .pending }
        let known = LoginStatus.allCases.first { text.elementsEqual($0.rawValue.utf8) }
        guard let known else { throw OAuthError(.invalidRequest, "seen is not a status") }
        return known
    }

    private func wait(_ form: Form) throws(OAuthError) -> Int {
        guard let text = form.single("wait") else { return 0 }
        guard text.count <= 2, let seconds = DecimalDigits.read(text),
            seconds <= AwaitLogin.waitSecondsMax
        else { throw OAuthError(.invalidRequest, "wait is not 0 to 25") }
        return Int(seconds)
    }
}
