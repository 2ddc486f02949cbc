internal import Domain
internal import Issuing

/// A form that posts to one of our routes: `tx`, its proof, and what is inside.
struct PageForm {
    let action: StaticString
    let request: StreamID
    let token: [UInt8]
    let look: PageLook
    /// Further attributes of the form.
    var attributes: HTML = ""

    func markup(_ content: HTML) -> HTML {
        """
        <form method="post" action="\("\(action)")"\(attributes)>
        <input type="hidden" name="tx" value="\(request.description)">
        <input type="hidden" name="form_token" value="\(text: token)">
        \(look.field)\(content)
        </form>
        """
    }

    /// The way out, on every page before the last.
    static func cancel(_ frame: SignInPages.Frame, _ look: PageLook) -> HTML {
        PageForm(
            action: "/login/cancel",
            request: frame.request,
            token: frame.cancelToken,
            look: look
        ).markup("<button class=\"link\">Cancel</button>")
    }
}
