package import Domain
package import OAuth

/// What a client gets back from the authorization endpoint (RFC 6749 section 4.1.2, RFC 9207).
package struct AuthorizationResponse: Sendable {
    /// Where it goes, once client and redirect URI are proven (Security I21).
    package struct Destination: Hashable, Sendable {
        package var redirectURI: RedirectURI
        package var mode: AuthorizationRequest.ResponseMode
        /// Echoed byte-exact.
        package var state: String?
        package var issuer: String

        package init(
            redirectURI: RedirectURI,
            mode: AuthorizationRequest.ResponseMode,
            state: String?,
            issuer: String
        ) {
            self.redirectURI = redirectURI
            self.mode = mode
            self.state = state
            self.issuer = issuer
        }

        /// Of a request that is being read, at an address that is known to be its client's.
        init(
            _ request: RequestParameters,
            to redirectURI: RedirectURI,
            by mode: AuthorizationRequest.ResponseMode,
            in project: Project
        ) {
            self.init(
                redirectURI: redirectURI,
                mode: mode,
                state: request.form.single("state").map { String(decoding: $0, as: UTF8.self) },
                issuer: project.issuer
            )
        }

        /// Of a request that was recorded.
        package init(_ request: AuthorizationRequest, in project: Project) {
            self.init(
                redirectURI: request.redirectURI,
                mode: request.responseMode,
                state: request.state,
                issuer: project.issuer
            )
        }
    }

    package struct Parameter: Hashable, Sendable {
        package var name: String
        package var value: String
    }

    package var redirectURI: RedirectURI
    package var mode: AuthorizationRequest.ResponseMode
    /// In the order they are sent.
    package var parameters: [Parameter]
    /// Why the request fails, for the log; nil for a success.
    package private(set) var failure: OAuthError?

    /// A success; `code` is absent for `response_type=none`.
    package init(to destination: Destination, code: [UInt8]?) {
        let code = code.map { Parameter(name: "code", value: String(decoding: $0, as: UTF8.self)) }
        self.init(to: destination, [code].compactMap(\.self))
    }

    package init(to destination: Destination, failing error: OAuthError) {
        self.init(
            to: destination,
            [
                Parameter(name: "error", value: error.code.rawValue),
                Parameter(name: "error_description", value: "\(error.description)"),
            ]
        )
        failure = error
    }

    private init(to destination: Destination, _ first: [Parameter]) {
        redirectURI = destination.redirectURI
        mode = destination.mode
        let state = destination.state.map { Parameter(name: "state", value: $0) }
        let issuer = Parameter(name: "iss", value: destination.issuer)
        parameters = first + [state].compactMap(\.self) + [issuer]
    }

    /// The address to redirect to; for `form_post` the form's target, which carries nothing.
    ///
    /// A registered query stays as it is, registered URIs have no fragment.
    package var location: String {
        switch mode {
        case .formPost: redirectURI.text
        case .fragment:
            redirectURI.text + "#" + String(decoding: Self.encode(parameters), as: UTF8.self)
        case .query: Self.location(redirectURI, adding: parameters)
        }
    }

    /// An address with parameters at the end of its query; a fragment stays behind them.
    static func location(_ uri: RedirectURI, adding parameters: [Parameter]) -> String {
        let bytes = Array(uri.text.utf8)
        let end = bytes.firstIndex(of: UInt8(ascii: "#")) ?? bytes.endIndex
        let hasQuery = bytes[..<end].contains(UInt8(ascii: "?"))
        let separator = UInt8(ascii: hasQuery ? "&" : "?")
        let text = bytes[..<end] + [separator] + encode(parameters) + bytes[end...]
        return String(decoding: text, as: UTF8.self)
    }

    private static func encode(_ parameters: [Parameter]) -> [UInt8] {
        var text: [UInt8] = []
        for (index, parameter) in parameters.enumerated() {
            if index > 0 { text.append(UInt8(ascii: "&")) }
            text += Array(parameter.name.utf8) + [UInt8(ascii: "=")]
            PercentEncoding.append(parameter.value.utf8, to: &text)
        }
        return text
    }
}
