extension ProjectDocumentRefusalTests {
    private static func redirect(_ sentence: String, _ uri: String, _ problem: String) -> Row {
        Row(
            sentence,
            "\"https://app.example.com/cb\"",
            "\"https://ok.example/\", '\(uri)'",
            "oauth.clients[0].redirect_uris[1]: \(problem)"
        )
    }

    static let redirects = [
        Row(
            "no redirect URI",
            "      redirect_uris: [\"https://app.example.com/cb\"]",
            "",
            "oauth.clients[0].redirect_uris: is required: at least one URI"
        ),
        redirect("javascript", "javascript:alert(1)", "scheme javascript is not allowed"),
        redirect("data", "data:text/html,x", "scheme data is not allowed"),
        redirect("file", "file://a.example/x", "scheme file is not allowed"),
        redirect("about", "about:blank", "scheme about is not allowed"),
        redirect("blob", "blob:https://a.example/x", "scheme blob is not allowed"),
        redirect(
            "http elsewhere",
            "http://app.example.com/cb",
            "scheme http is allowed for 127.0.0.1 and [::1] of native clients only"
        ),
        redirect(
            "localhost by name",
            "http://localhost/cb",
            "scheme http is allowed for 127.0.0.1 and [::1] of native clients only"
        ),
        redirect(
            "user information",
            "https://a@b.example/",
            "user information (`user@`) is not "
                + "allowed"
        ),
        redirect("a fragment", "https://a.example/#x", "a fragment is not allowed"),
        redirect(
            "a wildcard",
            "https://*.example.com/",
            "a wildcard is not allowed; list each URI"
        ),
        redirect(
            "a backslash",
            #"https://a.example\\@b.example/"#.replacing(#"\\"#, with: #"\"#),
            "a backslash is not allowed"
        ),
        redirect(
            "non-ASCII",
            "https://ä.example/",
            "must be printable ASCII without characters no URI contains"
        ),
        redirect(
            "dot segments",
            "https://a.example/x/../y",
            "dot segments (`.` or `..`) are not allowed"
        ),
        redirect(
            "encoded dot segments",
            "https://a.example/x/%2E%2e/y",
            "dot segments (`.` or `..`) are not allowed"
        ),
        redirect(
            "the default port",
            "https://a.example:443/",
            "must have a host in lower case, and no default port"
        ),
        redirect(
            "a query with code",
            "https://a.example/?x=1&code=2",
            "the query may not contain `code`"
        ),
        redirect(
            "a query with encoded state",
            "https://a.example/?st%61te=2",
            "the query may not contain `state`"
        ),
        redirect("the same URI twice", "https://ok.example/", "appears twice"),
        redirect(
            "no scheme",
            "//a.example/cb",
            "must begin with a scheme in lower case, such as https:"
        ),
        Row(
            "a loopback address of a web client",
            type: "spa",
            add: "post_logout_redirect_uris: [\"http://127.0.0.1/cb\"]",
            "post_logout_redirect_uris[0]: scheme http is allowed for 127.0.0.1 and [::1] of "
                + "native clients only"
        ),
    ]
}
