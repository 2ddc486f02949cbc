internal import Domain
internal import HTTPServer
internal import OAuth

/// A page: its content within the frame and with the headers all pages have (Security 7.2).
struct Page {
    var title: String
    /// What stands inside `<main>`.
    var content: HTML
    /// Attributes of `<main>`, for the script and for error pages.
    var attributes: HTML = ""
    /// Those of a page on which a press gives or ends something: its buttons take none by mouse or
    /// finger before the page has been there for a moment (decision 0245).
    static let held: HTML = " class=\"held\""
    var look: PageLook
    /// A form of the page may end here, by redirect.
    var formTarget: RedirectURI?
    var script: Script?
    /// `Refresh`, for pages without script.
    var refreshSeconds: Int?

    /// The one script of a page.
    struct Script {
        var asset: StaticAsset
        /// `sha256-…`.
        var source: String

        init(_ asset: StaticAsset, _ scripts: PageScripts) {
            self.asset = asset
            source = scripts.source(of: asset)
        }
    }

    func response(_ status: Status = .ok) -> Response {
        var response = Response(
            status,
            contentType: "text/html; charset=utf-8",
            body: document.bytes
        )
        response.add("Content-Security-Policy", policy)
        response.add("X-Frame-Options", "DENY")
        response.add("X-Content-Type-Options", "nosniff")
        response.add("Referrer-Policy", "same-origin")
        response.add("Cross-Origin-Opener-Policy", "same-origin")
        response.add("Cross-Origin-Resource-Policy", "same-origin")
        response.add("Permissions-Policy", "camera=(), microphone=(), geolocation=()")
        if let refreshSeconds { response.add("Refresh", "\(refreshSeconds)") }
        return response
    }

    /// A page that only says how something ended.
    static func outcome(
        _ title: String,
        _ text: String,
        wayOn: HTML? = nil,
        isGood: Bool,
        attributes: HTML,
        _ look: PageLook
    ) -> Page {
        Page(
            title: title,
            content: """
                \(isGood ? goodSign : badSign)
                <h1>\(title)</h1>
                <p class="lead">\(text)</p>\(wayOn)
                """,
            attributes: attributes,
            look: look
        )
    }

    private static let goodSign: HTML = "<p class=\"sign good\" aria-hidden=\"true\">✓</p>"
    private static let badSign: HTML = "<p class=\"sign bad\" aria-hidden=\"true\">!</p>"

    private var policy: String {
        let target = formTarget.flatMap(Self.source).map { " \($0)" } ?? ""
        var policy =
            "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'\(target); "
            + "base-uri 'none'; frame-ancestors 'none'"
        if let script {
            policy += "; script-src '\(script.source)'"
            if script.asset == .waiting { policy += "; connect-src 'self'" }
        }
        return policy
    }

    /// The scheme alone; nil for a URI that none is read from.
    ///
    /// A browser checks each redirect on a form's way, and only the client knows where its redirect
    /// URI leads on to (decision 0127).
    private static func source(_ uri: RedirectURI) -> String? {
        guard let parsed = try? AbsoluteURI(Array(uri.text.utf8)) else { return nil }
        return "\(parsed.scheme):"
    }

    private var document: HTML {
        """
        <!DOCTYPE html>
        <html lang="en"\(look.attribute)>
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="robots" content="noindex">
        <title>\(look.title(title))</title>
        <link rel="icon" href="\(StaticAsset.icon.path)" type="image/svg+xml">
        <link rel="stylesheet" href="\(StaticAsset.style.path)">
        \(script.map(Self.tag))</head>
        <body>
        \(look.header)
        <main\(attributes)>
        \(content)
        </main>
        \(look.footer)
        </body>
        </html>

        """
    }

    private static func tag(_ script: Script) -> HTML {
        """
        <script src="\(script.asset.path)" integrity="\(script.source)" defer></script>

        """
    }
}
