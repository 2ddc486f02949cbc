internal import HTTPServer
internal import Issuing
package import OAuth

/// `/logout`: the button that ends a session (WireContract 9.4).
package struct LogoutRoute: PageRoute {
    package static var paths: [String] { ["/logout"] }
    package static var methods: [Method] { [.get, .post] }
    package static var outlivesSuspension: Bool { true }

    package let services: SignInServices

    package init(_ services: SignInServices) { self.services = services }

    package static func slots(_ method: Method) -> Slots { .ending }

    package func answer(_ visit: PageVisit) async throws(OAuthError) -> Response {
        let reference = visit.form.single("reference")
        guard visit.request.method == .post else {
            // Nobody has asked for it yet.
            if visit.request.isPrefetch { return .empty(.noContent) }
            let view = try await services.endSession.confirmation(reference, visit.browser)
            // As the button answers then: who reads that they are signed out is (decision 0211).
            guard let reach = view.reach else { return .loggedOut(view.location, visit) }
            return LogoutPage(view: view, look: visit.look).page(reach).response()
        }
        try visit.requireSameOrigin()
        do throws(OAuthError) {
            let answer = try await services.endSession.confirm(
                reference,
                formToken: visit.form.single("form_token"),
                visit.browser
            )
            switch answer {
            case .confirm, .done(nil): return .loggedOut(nil, visit)
            case .done(let location): return .loggedOut(location, visit)
            }
        } catch { return try Self.outOfDate(error, reference, visit) }
    }

    /// A page of before a login in another tab leads to the one of now, for the same logout; one
    /// whose reference counts no more to a logout that nobody asked for (decision 0223).
    private static func outOfDate(
        _ error: OAuthError,
        _ reference: [UInt8]?,
        _ visit: PageVisit
    ) throws(OAuthError) -> Response {
        guard error.isForeignForm || error.isExpiredForm else { throw error }
        var path = visit.look.path("/logout")
        // It was opened before the token was looked at: it is ours.
        if error.isForeignForm, let reference {
            let text = String(decoding: reference, as: UTF8.self)
            path = "/logout?reference=\(text)\(visit.look.query)"
        }
        return .outOfDate(error, visit, again: path)
    }
}
