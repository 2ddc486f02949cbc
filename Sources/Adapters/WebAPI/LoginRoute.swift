internal import HTTPServer
internal import Issuing
package import OAuth

/// `/login`: the e-mail address (WireContract 7.1).
package struct LoginRoute: PageRoute {
    package static var paths: [String] { ["/login"] }
    package static var methods: [Method] { [.get, .post] }

    package let services: SignInServices

    package init(_ services: SignInServices) { self.services = services }

    package func answer(_ visit: PageVisit) async throws(OAuthError) -> Response {
        visit.request.method == .post ? try await post(visit) : try await get(visit)
    }

    private func get(_ visit: PageVisit) async throws(OAuthError) -> Response {
        let id = try visit.transaction()
        guard let view = try await services.pages.login(id, visit.browser) else {
            return visit.response(to: SignInAnswer(.consent(id)))
        }
        var response = LoginPage(view: view, look: visit.look).page.response()
        if let transaction = visit.browser.binding(view.frame.browser) {
            // Renewed, so that the page may be filled in until its request is over.
            Cookies(of: visit.project).set(.transaction(transaction), on: &response)
        }
        return response
    }

    private func post(_ visit: PageVisit) async throws(OAuthError) -> Response {
        let posted = try visit.posted()
        let address = visit.form.single("email")
        do throws(RequestLoginLink.Refusal) {
            let answer = try await services.links.request(
                posted,
                address: address,
                visit.browser
            )
            return visit.response(to: answer)
        } catch {
            switch error {
            case .page(let why): throw why
            case .malformedAddress:
                guard let view = try await services.pages.login(posted.request, visit.browser)
                else { return visit.response(to: SignInAnswer(.consent(posted.request))) }
                let typed = String(decoding: (address ?? []).prefix(254), as: UTF8.self)
                return LoginPage(view: view, look: visit.look, refused: typed)
                    .page.response(.badRequest)
            }
        }
    }
}
