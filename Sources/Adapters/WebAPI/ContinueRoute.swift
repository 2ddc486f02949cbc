internal import HTTPServer
package import Issuing
internal import OAuth

/// `/continue`: this account or another one (wire.md section 4.3).
package struct ContinueRoute: Route {
    package static var paths: [String] { ["/continue"] }
    package static var methods: [Method] { [.get, .post] }
    package static var errorForm: ErrorForm { .page }

    private let services: SignInServices
    private let step: AccountStep

    package init(_ services: SignInServices) {
        self.services = services
        step = AccountStep(
            purpose: .select,
            actions: ("continue", "other"),
            page: { ContinuePage(view: $0, look: $1).page },
            press: { posted, isFirst, browser throws(OAuthError) in
                try await services.continuation.selectAccount(posted, usesOther: !isFirst, browser)
            }
        )
    }

    package func respond(to request: Request, in project: Project) async -> Response {
        await PageVisit.respond(request, project, services) { visit throws(OAuthError) in
            try await step.respond(visit)
        }
    }
}
