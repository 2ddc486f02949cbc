internal import HTTPServer
internal import Issuing
package import OAuth

/// `/continue`: this account or another one (WireContract 4.3).
package struct ContinueRoute: PageRoute {
    package static var paths: [String] { ["/continue"] }
    package static var methods: [Method] { [.get, .post] }

    package let services: SignInServices
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

    package func answer(_ visit: PageVisit) async throws(OAuthError) -> Response {
        try await step.respond(visit)
    }
}
