internal import Domain
internal import OAuth

extension ProjectReading {
    /// The origin at `key`: https, or http of a development host in insecure development.
    func origin(_ section: Section, _ key: String, hint: String = "") -> Origin? {
        guard section.has(key) else {
            if !hint.isEmpty {
                section.report(key, "is required: an origin such as \(hint)", kind: .missing)
            }
            return nil
        }
        guard let text = section.optionalString(key) else { return nil }
        guard let origin = Origin(text) else {
            section.report(key, Self.notAnOrigin(text))
            return nil
        }
        if !isAllowed(origin) { section.report(key, "must be https") }
        return origin
    }

    /// The origins of the list at `key`; with `webViews` also those of an app's own web view, whose
    /// scheme no page of the web has (`capacitor://localhost`, decision 0171).
    func origins(_ section: Section, _ key: String, webViews: Bool = false) -> [String] {
        let texts = section.strings(key)
        for (index, text) in texts.enumerated() {
            if let origin = Origin(text) {
                if !isAllowed(origin) { section.report(key, element: index, "must be https") }
            } else if !webViews || !Self.isWebView(text) {
                section.report(key, element: index, Self.notAnOrigin(text))
            }
        }
        return texts
    }

    /// A private scheme, `://` and a host, as such a view writes its origin.
    private static func isWebView(_ text: String) -> Bool {
        let parts = text.split(separator: "://", omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[1].isEmpty,
            let uri = try? RedirectURIRules.check(Array(text.utf8), isNative: true)
        else { return false }
        return uri.origin == nil
            && parts[1].utf8.allSatisfy { byte in
                0x61...0x7A ~= byte || 0x30...0x39 ~= byte || byte == UInt8(ascii: ".")
                    || byte == UInt8(ascii: "-")
            }
    }

    /// Host names answered: without port, and the issuer's own among them.
    func hosts(_ http: Section, _ origin: Origin?) -> [String] {
        guard let own = origin?.host.text else { return http.strings("hosts") }
        let hosts = http.strings("hosts", default: [own])
        for (index, host) in hosts.enumerated() where URIHost(Array(host.utf8)[...]) == nil {
            let problem = "must be a host name in lower case, without port, not `\(host)`"
            http.report("hosts", element: index, problem)
        }
        if !hosts.contains(own) {
            http.report("hosts", "must contain \(own), the host of public_origin")
        }
        if let index = hosts.indices.first(where: { hosts[..<$0].contains(hosts[$0]) }) {
            http.report("hosts", element: index, "appears twice")
        }
        return hosts
    }

    /// `oauth.resources`: https URIs outside the issuer, with scopes of their own.
    func resources(_ oauth: Section, _ settings: ProjectSettings)
        -> [ProjectSettings.Resource]
    {
        var seen: Set<String> = []
        return oauth.sections("resources").map { section in
            let uri = section.string("uri", hint: "an https URI such as https://api.example.com")
            if section.has("uri") {
                if let problem = problem(withResource: uri, settings) {
                    section.report("uri", problem)
                } else if !seen.insert(uri).inserted {
                    section.report("uri", "appears twice")
                }
            }
            let scopes = section.strings("scopes")
            for (index, scope) in scopes.enumerated() {
                if Scope(scope)?.tokens.count != 1 {
                    let problem = "must be printable ASCII without space, quote and backslash"
                    section.report("scopes", element: index, problem)
                } else if BuiltInScopes.all.contains(scope) {
                    section.report("scopes", element: index, "\(scope) is a built-in scope")
                }
            }
            return ProjectSettings.Resource(uri: uri, scopes: scopes)
        }
    }

    private func problem(withResource uri: String, _ settings: ProjectSettings) -> String? {
        let parsed: AbsoluteURI
        do { parsed = try AbsoluteURI(Array(uri.utf8)) } catch {
            return URIProblem.text(of: error)
        }
        guard let origin = parsed.origin, isAllowed(origin) else { return "must be an https URI" }
        guard origin.description != settings.publicOrigin else {
            return "must lie outside the issuer's origin"
        }
        return nil
    }

    /// https, or http where it never leaves the machine.
    func isAllowed(_ origin: Origin) -> Bool {
        origin.isSecure || (isInsecureDevelopment && origin.host.isForDevelopment)
    }

    private static func notAnOrigin(_ text: String) -> String {
        "must be an origin in lower case without path and default port, such as "
            + "https://auth.example.com, not `\(text)`"
    }
}
