internal import Domain
internal import HTTPServer
internal import Issuing
package import OAuth

/// `/flows/verify_login_link`: approval by button (WireContract 7.5).
package struct VerifyLoginLinkRoute: PageRoute {
    package static var paths: [String] { ["/flows/verify_login_link"] }
    package static var methods: [Method] { [.get, .post] }

    package let services: SignInServices

    package init(_ services: SignInServices) { self.services = services }

    package func answer(_ visit: PageVisit) async throws(OAuthError) -> Response {
        visit.request.method == .post ? try await post(visit) : try await get(visit)
    }

    /// GET and HEAD change and count nothing: a mail scanner comes this way.
    private func get(_ visit: PageVisit) async throws(OAuthError) -> Response {
        if let sealed = visit.form.single("result") {
            let now = services.context.commands.clock.now
            let said = services.references.open(sealed, for: .outcome, at: now)
            guard
                let result = said.flatMap({
                    LinkPage.Result(rawValue: String(decoding: $0, as: UTF8.self))
                })
            else { throw OAuthError(.invalidRequest, "the result is not known", refusal: "SI-010") }
            return LinkPage.done(result, visit.look).response()
        }
        let presented = presented(visit)
        do throws(ApproveLoginLink.Refusal) {
            let view = try await services.approval.view(presented, visit.browser)
            if view.isApproved { return LinkPage.done(.approved, visit.look).response() }
            return page(view, presented, visit).page.response()
        } catch { throw OAuthError(error) }
    }

    private func post(_ visit: PageVisit) async throws(OAuthError) -> Response {
        try visit.requireSameOrigin()
        let failures = LinkFailures(services.limits, visit.request)
        try failures.admitPage()
        let presented = presented(visit)
        let action = try visit.action("approve", "deny")
        do throws(ApproveLoginLink.Refusal) {
            let view = try await services.approval.view(presented, visit.browser)
            try check(view.link, visit)
            guard action == "approve" else {
                // What was approved cannot be taken back here: who pressed "no" must hear so.
                guard !view.isApproved else { throw ApproveLoginLink.Refusal.failed(.tooLate) }
                try await services.approval.deny(presented, visit.browser)
                return done(visit, .denied)
            }
            let number = visit.form.single("number").flatMap(LinkNumber.read)
            try await services.approval.approve(
                presented,
                by: .browser,
                number: number,
                visit.browser
            )
            return done(visit, .approved)
        } catch {
            switch error {
            case .numberRequired(let view):
                var page = page(view, presented, visit)
                page.isNumberMissing = true
                return page.page.response(.badRequest)
            case .wrongNumber:
                failures.record()
                return done(visit, .wrongNumber)
            case .dead: failures.record()
            case .denied(let link, let why):
                // Pressed twice: the browser follows the second answer and drops the first.
                let said = action == "deny" || visit.form.single("number") != nil
                if said, (try? check(link, visit)) != nil {
                    try await services.context.confirm(for: visit.browser)
                    let isWrong = action == "approve" && why == .numberMismatch
                    return done(visit, isWrong ? .wrongNumber : .denied)
                }
                failures.record()
            case .otherDevice, .failed: break
            }
            throw OAuthError(error)
        }
    }

    private func check(_ link: StreamID, _ visit: PageVisit) throws(ApproveLoginLink.Refusal) {
        do throws(OAuthError) {
            try services.context.forms.check(
                visit.form.single("form_token"),
                .approve,
                about: link,
                // It may have begun to log in elsewhere since it was shown the page: who has the
                // link can have the page without a cookie anyway.
                browsers: visit.browser.bindings + [nil],
                at: services.context.commands.clock.now
            )
        } catch { throw .failed(error) }
    }

    private func presented(_ visit: PageVisit) -> ApproveLoginLink.Presented {
        ApproveLoginLink.Presented(
            token: visit.form.single("token") ?? [],
            client: visit.form.single("client")
        )
    }

    private func page(
        _ view: ApproveLoginLink.LinkView,
        _ presented: ApproveLoginLink.Presented,
        _ visit: PageVisit
    ) -> LinkPage {
        let now = services.context.commands.clock.now
        return LinkPage(
            view: view,
            token: presented.token,
            formToken: services.context.forms.token(
                .approve,
                about: view.link,
                browser: visit.browser.transactions.first?.digest,
                expiresAt: now.adding(seconds: FormTokens.lifetimeSeconds)
            ),
            look: visit.look
        )
    }

    /// To the page that says what came of the button: at an address of ours, or anybody could show
    /// somebody that nothing has happened.
    ///
    /// Whoever approves may have no cookie to tie that address to, so it is good for minutes alone.
    private func done(_ visit: PageVisit, _ result: LinkPage.Result) -> Response {
        // One word is never too long.
        let sealed = services.references.seal(
            Array(result.rawValue.utf8),
            for: .outcome,
            at: services.context.commands.clock.now
        )
        let text = String(decoding: sealed ?? [], as: UTF8.self)
        return .redirect("/flows/verify_login_link?result=\(text)\(visit.look.query)")
    }
}

extension OAuthError {
    fileprivate static var tooLate: Self {
        Self(
            .invalidRequest,
            "this sign-in was approved before and cannot be refused here",
            refusal: "SI-009"
        )
    }

    /// A refused approval as a page.
    fileprivate init(_ refusal: ApproveLoginLink.Refusal) {
        switch refusal {
        case .dead(let why): self = .deadLink(why)
        case .denied: self = .deadLink("denied")
        case .otherDevice: self = .otherDevice
        case .numberRequired, .wrongNumber: self = .deadLink("number")
        case .failed(let error): self = error
        }
    }
}
