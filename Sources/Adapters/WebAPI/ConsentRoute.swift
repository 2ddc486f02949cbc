internal import HTTPServer
package import Issuing
internal import OAuth

/// `/consent`: what a client may have (wire.md section 4.3).
package struct ConsentRoute: Route {
    package static var paths: [String] { ["/consent"] }
    package static var methods: [Method] { [.get, .post] }
    package static var errorForm: ErrorForm { .page }

    private let services: SignInServices
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

    package func respond(to request: Request, in project: Project) async -> Response {
        await PageVisit.respond(request, project, services) { visit throws(OAuthError) in
            try await step.respond(visit)
        }
    }
}
