internal import HTTPServer
internal import Issuing
package import OAuth

/// `/consent`: what a client may have (WireContract 4.3).
package struct ConsentRoute: PageRoute {
    package static var paths: [String] { ["/consent"] }
    package static var methods: [Method] { [.get, .post] }

    package let services: SignInServices
    private let step: AccountStep

    package init(_ services: SignInServices) {
        self.services = services
        step = AccountStep(
            purpose: .consent,
            actions: ("allow", "deny"),
            page: { ConsentPage(view: $0, look: $1).page },
            press: { posted, isFirst, browser throws(OAuthError) in
                try await services.continuation.consent(posted, allows: isFirst, browser)
            }
        )
    }

    package func answer(_ visit: PageVisit) async throws(OAuthError) -> Response {
        try await step.respond(visit)
    }
}
