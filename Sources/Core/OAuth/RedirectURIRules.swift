package import Domain

/// Which redirect URIs may be registered, and which one a request names (Security 4.1).
package enum RedirectURIRules {
    package enum Refusal: Error, Hashable {
        case malformed(AbsoluteURI.Refusal)
        /// `javascript`, `data`, `file`, `about`, `blob`.
        case forbiddenScheme(String)
        /// `http` elsewhere than on 127.0.0.1 or [::1] of a native client.
        case plainHTTP
        /// A query parameter the authorization response itself may carry.
        case reservedParameter(String)
    }

    private static let forbiddenSchemes = ["javascript", "data", "file", "about", "blob"]
    private static let reservedParameters = ["code", "state", "iss", "error", "response"]

    /// Checks a URI that an operator wants to register.
    package static func check(_ uri: [UInt8], isNative: Bool) throws(Refusal) -> AbsoluteURI {
        let parsed: AbsoluteURI
        do { parsed = try AbsoluteURI(uri) } catch { throw .malformed(error) }
        guard !forbiddenSchemes.contains(parsed.scheme) else {
            throw .forbiddenScheme(parsed.scheme)
        }
        if parsed.scheme == "http" {
            guard isNative, parsed.host?.isLoopbackAddress == true else { throw .plainHTTP }
        }
        try checkQuery(parsed.query)
        return parsed
    }

    /// Whether the operating system or the web tells whose the URI is: a domain's.
    ///
    /// To a private scheme or a loopback port any app may listen, and any app may begin what ends
    /// there (RFC 8252 section 8.6).
    package static func isClaimed(_ uri: RedirectURI) -> Bool {
        uri.text.utf8.starts(with: "https:".utf8)
    }

    /// Whether what a form holds gets there: the app of a private scheme is given an address, and
    /// nothing of the form.
    package static func takesForms(_ uri: RedirectURI) -> Bool {
        isClaimed(uri) || uri.text.utf8.starts(with: "http:".utf8)
    }

    /// A private scheme without a dot may be any app's (RFC 8252 section 7.1): worth a warning.
    package static func deservesWarning(_ uri: AbsoluteURI) -> Bool {
        uri.origin == nil && !uri.scheme.utf8.contains(UInt8(ascii: "."))
    }

    /// Whether `presented` is `registered`: byte for byte, except the port of a native client's
    /// loopback address (RFC 8252 section 7.3).
    package static func matches(
        _ presented: RedirectURI,
        _ registered: RedirectURI,
        isNative: Bool
    ) -> Bool {
        if presented == registered { return true }
        guard isNative, let left = try? AbsoluteURI(Array(presented.text.utf8)),
            let right = try? AbsoluteURI(Array(registered.text.utf8))
        else { return false }
        return left.scheme == "http" && right.scheme == "http"
            && left.host?.isLoopbackAddress == true && left.host == right.host
            && left.path == right.path && left.query == right.query
    }

    private static func checkQuery(_ query: String?) throws(Refusal) {
        guard let query else { return }
        guard let form = try? Form(parsing: Array(query.utf8)) else { throw .malformed(.escape) }
        for field in form.fields {
            for name in reservedParameters where field.name.elementsEqual(name.utf8) {
                throw .reservedParameter(name)
            }
        }
    }
}
