internal import HTTPServer
internal import Issuing

/// What a person sees at an address without a route, or who comes with a method that it does not
/// take; a program, which asks for no page, gets the status alone (WireContract 1).
enum NowherePage {
    /// `status`: 404 or 405; `accepted` are the values of `Accept`.
    static func response(
        _ status: Status,
        in project: Project,
        _ id: RequestID,
        accepting accepted: [[UInt8]]
    ) -> Response {
        guard ErrorPage.wantsPage(accepted) else { return .empty(status) }
        let isKnown = status != .notFound
        let look = PageLook.of(project, id)
        let page = Page.outcome(
            isKnown ? "This page cannot be opened so" : "There is no such page",
            isKnown
                ? "Nothing was changed. Go back to the application and begin again."
                : "Look at the address again, or go back to the application.",
            isGood: false,
            attributes: """
                 data-error="\(isKnown ? "invalid_request" : "not_found")" \
                data-request-id="\(look.requestID)"
                """,
            look
        )
        return page.response(status)
    }
}
