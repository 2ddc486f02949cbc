internal import Domain
internal import Issuing
internal import OAuth

/// What is the same on every page of a request: whose it is, its reference, its colours.
struct PageLook: Sendable {
    /// The name of the parameter and of the hidden field.
    static let schemeParameter = AuthorizationRequestReader.colorScheme

    let projectName: String
    /// Of this request, so that a person can name it to support; the header has it in any case.
    let requestID: String
    /// `x_color_scheme` (WireContract 4.1): handed from page to page; else the device decides.
    var scheme: AuthorizationRequest.ColorScheme?

    /// Before it is known whose page it is.
    static func anonymous(_ id: RequestID) -> PageLook {
        PageLook(projectName: "", requestID: id.text, scheme: nil)
    }

    /// Of a request that no route has read.
    static func of(_ project: Project, _ id: RequestID) -> PageLook {
        PageLook(projectName: project.settings.name, requestID: id.text, scheme: nil)
    }

    private init(
        projectName: String,
        requestID: String,
        scheme: AuthorizationRequest.ColorScheme?
    ) {
        self.projectName = projectName
        self.requestID = requestID
        self.scheme = scheme
    }

    init(_ request: Request, _ project: Project, _ form: Form?) {
        projectName = project.settings.name
        requestID = request.id.text
        // Beside a `request_uri` nothing counts (RFC 9126 section 4).
        let asked = form.flatMap {
            AuthorizationRequestReader.isReference($0) ? nil : $0.single(Self.schemeParameter)
        }
        scheme = AuthorizationRequest.ColorScheme(asked)
    }

    /// The name with its first letter as a mark; nothing without a name.
    var header: HTML? {
        projectName.first.map { first in
            """
            <header><span class="mark" aria-hidden="true">\(first.uppercased())</span>\
            \(projectName)</header>
            """
        }
    }

    var footer: HTML? {
        requestID.isEmpty ? nil : "<footer>Reference \(requestID)</footer>"
    }

    /// What the browser calls the page.
    func title(_ title: String) -> String {
        projectName.isEmpty ? title : "\(title) · \(projectName)"
    }

    /// ` data-scheme="dark"` for the style sheet.
    var attribute: HTML? { scheme.map { " data-scheme=\"\($0.rawValue)\"" } }

    /// Hands the colours on with a form.
    var field: HTML? {
        scheme.map {
            "<input type=\"hidden\" name=\"\(Self.schemeParameter)\" value=\"\($0.rawValue)\">"
        }
    }

    /// Hands the colours on with a redirect to one of our pages.
    var query: String { scheme.map { "&\(Self.schemeParameter)=\($0.rawValue)" } ?? "" }

    /// A path of ours that has no other parameters, in the same colours.
    func path(_ path: String) -> String { query.isEmpty ? path : "\(path)?\(query.dropFirst())" }
}
