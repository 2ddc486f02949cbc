internal import Domain
internal import Issuing

/// The answer to the client as a form (OAuth 2.0 Form Post Response Mode).
struct FormPostPage {
    let response: AuthorizationResponse
    let look: PageLook
    let scripts: PageScripts

    var page: Page {
        let fields = response.parameters.map { parameter -> HTML in
            "<input type=\"hidden\" name=\"\(parameter.name)\" value=\"\(parameter.value)\">\n"
        }
        return Page(
            title: "Continue",
            content: """
                <h1>One more step</h1>
                <p class="lead">Press the button to go back to the application.</p>
                <form method="post" action="\(response.redirectURI.text)">
                \(fields)<button>Continue</button>
                </form>
                """,
            look: look,
            formTarget: response.redirectURI,
            script: Page.Script(.submit, scripts)
        )
    }
}
