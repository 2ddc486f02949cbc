internal import HTTPServer
internal import OAuth

/// A refusal as a page (form C of WireContract 1.2): nothing of the request is echoed.
struct ErrorPage {
    let error: OAuthError
    let look: PageLook
    /// Where the page of a form of ours is to be had anew, after a login in another tab; nothing
    /// that can be posted is on this one.
    var again: String?

    /// The page, or form A for a caller that asks for JSON and not for a page.
    func response(to request: Request) -> Response {
        response(accepting: request.headers.all("accept"))
    }

    /// As above, by the values of `Accept`.
    func response(accepting accepted: [[UInt8]]) -> Response {
        Self.wantsJSON(accepted) ? .oauth(error) : page()
    }

    /// The page alone.
    func page() -> Response {
        var response = content.response(Status(rawValue: error.status) ?? .internalServerError)
        if let seconds = error.retryAfterSeconds { response.add("Retry-After", "\(seconds)") }
        response.refusal = Response.Refusal(error)
        return response
    }

    private var content: Page {
        let (title, text) = words
        return .outcome(
            title,
            text,
            wayOn: again.map { "\n<p><a href=\"\($0)\">Open the page again</a></p>" },
            isGood: false,
            attributes: """
                 data-error="\(error.code.rawValue)" data-request-id="\(look.requestID)"
                """,
            look
        )
    }

    private var words: (title: String, text: String) {
        guard again == nil else {
            return (
                "This page is out of date",
                "It was open for long, or you have signed in or out since, perhaps in another tab. "
                    + "Nothing was changed."
            )
        }
        return refusalWords
    }

    private var refusalWords: (title: String, text: String) {
        switch (error.code, error.status) {
        case (.rateLimited, _):
            ("Too many tries", "Wait \(wait), then try again.")
        case (.temporarilyUnavailable, _), (.serverError, _):
            (
                "Please try again",
                "Something on our side did not answer. "
                    + "Load the page again to see what was done."
            )
        case (.loginRequired, _):
            (
                "You are not signed in here",
                "Open this page from the application, or sign in with it in this browser first."
            )
        case (.notFound, _):
            (
                "Not found here",
                "This page belongs to a sign-in in another browser, or to none. "
                    + "Go back to the application and begin again."
            )
        case (.unauthorizedClient, 403):
            // The project is suspended, and whoever comes later may go on.
            ("Not available now", "\(sentence) Nothing was changed.")
        case (_, 403):
            ("Not allowed", "\(sentence) Nothing was changed.")
        case (_, 413), (_, 414), (_, 431):
            ("Too much", sentence)
        default:
            (
                "This does not work",
                "\(sentence) Go back to the application and begin again."
            )
        }
    }

    /// Whole minutes, which are over when `Retry-After` is.
    private var wait: String {
        let minutes = ((error.retryAfterSeconds ?? 0) + 59) / 60
        return minutes > 1 ? "\(minutes) minutes" : "a minute"
    }

    /// The description as people write it.
    private var sentence: String {
        let text = "\(error.description)"
        return "\(text.prefix(1).uppercased())\(text.dropFirst())."
    }

    /// Whether the caller names pages among what it takes, as browsers do when a person comes.
    static func wantsPage(_ values: [[UInt8]]) -> Bool {
        values.contains { contains($0, "text/html") }
    }

    private static func wantsJSON(_ values: [[UInt8]]) -> Bool {
        let accepted = values.flatMap { $0 }
        return contains(accepted, "application/json") && !contains(accepted, "text/html")
    }

    private static func contains(_ text: [UInt8], _ type: String) -> Bool {
        let type = Array(type.utf8)
        guard text.count >= type.count else { return false }
        return (0...(text.count - type.count)).contains { start in
            zip(text[start...], type).allSatisfy { $0 == $1 || $0 | 0x20 == $1 }
        }
    }
}
