internal import Domain
internal import OAuth

/// One pass over a project document: WireContract 3.1 here, clients and cross checks beside it.
final class ProjectReading {
    let root: Section
    let isInsecureDevelopment: Bool
    /// Whether the document was taken before, perhaps by a program that had fewer rules.
    private let isInForce: Bool
    private(set) var warnings: [String] = []

    init(_ root: Section, _ isInsecureDevelopment: Bool, isInForce: Bool = false) {
        self.root = root
        self.isInsecureDevelopment = isInsecureDevelopment
        self.isInForce = isInForce
    }

    /// Notes what is allowed and yet worth a second look.
    func warn(_ path: String, _ message: String) { warnings.append("\(path): \(message)") }

    /// Refuses what documents of before may have: one in force keeps it until its next change.
    func reportUnlessInForce(_ section: Section, _ key: String, _ message: String) {
        guard isInForce else { return section.report(key, message) }
        warn(section.path.isEmpty ? key : "\(section.path).\(key)", message)
    }

    /// What the document means; findings are in the reader.
    func settings() -> ProjectSettings {
        let id = ProjectID(root.string("id", hint: "a short name such as `bank`"))
        if id == nil, root.has("id") {
            root.report("id", "must be `a`-`z`, digits and `-`, a letter first, at most 40")
        }
        let http = root.section("http")
        let origin = origin(http, "public_origin", hint: "https://auth.example.com")
        var settings = ProjectSettings(
            id: id ?? Placeholder.project,
            name: name(root),
            publicOrigin: origin?.description ?? "",
            hosts: [],
            clients: []
        )
        settings.hosts = hosts(http, origin)
        readHTTP(http, origin, into: &settings)
        readOAuth(into: &settings)
        readSession(into: &settings)
        let clients = ClientsReading(self, settings)
        settings.clients = clients.read()
        return settings
    }

    /// 1–80 characters, no control characters; shown on pages and in mail.
    func name(_ section: Section) -> String {
        let name = section.string("name", hint: "what users see, 1-80 characters")
        if section.has("name"), !(1...80 ~= name.count) {
            section.report("name", "must have 1-80 characters and no control characters")
        } else if !name.unicodeScalars.allSatisfy(Self.isShown) {
            reportUnlessInForce(
                section,
                "name",
                "must not break its line, nor turn the direction of what is written after it"
            )
        }
        return name
    }

    /// Not what breaks a line or turns the direction of writing: a name stands among other words.
    private static func isShown(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: false
        // Embeddings, overrides and isolates; the marks of single letters stand in many names.
        default: !(0x202A...0x202E ~= scalar.value || 0x2066...0x2069 ~= scalar.value)
        }
    }

    private func readHTTP(_ http: Section, _ origin: Origin?, into settings: inout ProjectSettings)
    {
        let projector = http.has("projector_origin") ? self.origin(http, "projector_origin") : nil
        settings.projectorOrigin = projector?.description ?? settings.publicOrigin
        settings.allowedOrigins = origins(http, "allowed_origins", webViews: true)
        settings.cookiePrefix = http.string("cookie_prefix", default: "")
        let isPrefix = settings.cookiePrefix.utf8.allSatisfy {
            0x30...0x39 ~= $0 || 0x41...0x5A ~= $0 || 0x61...0x7A ~= $0 || $0 == 0x5F || $0 == 0x2D
        }
        if !isPrefix || settings.cookiePrefix.utf8.count > 32 {
            http.report("cookie_prefix", "must be letters, digits, `_` and `-`, at most 32")
        }
        if let domain = http.optionalString("cookie_domain") {
            let problem = CookieDomain.problem(
                with: domain,
                issuer: origin?.host,
                isDevelopment: isInsecureDevelopment
            )
            if let problem {
                http.report("cookie_domain", problem)
            } else if CookieDomain.isOfRegistry(domain) {
                let problem = CookieDomain.sentence(on: domain)
                reportUnlessInForce(http, "cookie_domain", problem)
            }
            readHostPrefix(http, settings.cookiePrefix)
            settings.cookieDomain = domain
        }
    }

    /// Browsers look at the beginning of a name without its case, and drop the cookie (RFC 6265bis,
    /// section 4.1.3).
    private func readHostPrefix(_ http: Section, _ prefix: String) {
        let start = prefix.prefix(7)
        let remedy = "forbids a cookie_domain: use `__Secure-`"
        if start == "__Host-" {
            http.report("cookie_prefix", "`__Host-` \(remedy)")
        } else if start.lowercased() == "__host-" {
            let problem = "`\(start)` is `__Host-` to browsers, which \(remedy)"
            reportUnlessInForce(http, "cookie_prefix", problem)
        }
    }

    private func readOAuth(into settings: inout ProjectSettings) {
        let oauth = root.section("oauth")
        settings.signingAlgorithm = oauth.choice("signing_algorithm", default: .es256)
        if settings.signingAlgorithm == .rs256 {
            let why = "RS256 costs twelve times the CPU of ES256: for servers that verify no other"
            warn("oauth.signing_algorithm", why)
        }
        let code = oauth.integer("authorization_code_lifetime_seconds", in: 30...600, default: 60)
        settings.codeLifetimeSeconds = Int64(code)
        let request = oauth.integer("request_uri_lifetime_seconds", in: 5...600, default: 60)
        settings.requestURILifetimeSeconds = Int64(request)
        let challenge = oauth.integer("challenge_lifetime_seconds", in: 60...600, default: 300)
        settings.challengeLifetimeSeconds = Int64(challenge)
        let identity = oauth.integer("id_token_lifetime_seconds", in: 60...3600, default: 300)
        settings.idTokenLifetimeSeconds = Int64(identity)
        settings.resources = resources(oauth, settings)
        let url = "pre_authenticated_url_token_lifetime_seconds"
        settings.urlTokenLifetimeSeconds = Int64(oauth.integer(url, in: 30...300, default: 60))
        settings.requiresDPoPNonce = oauth.bool("dpop_nonce", default: false)
        // Of later features: checked now, so that a document does not break when they come.
        _ = oauth.bool("status_list", default: true)
        if oauth.has("status_list") { warnOfLater("oauth.status_list") }
        let ssf = root.section("ssf")
        _ = ssf.bool("enabled", default: true)
        _ = ssf.choice("signing_algorithm", default: SSFAlgorithm.rs256)
        for (index, host) in ssf.strings("push_hosts").enumerated()
        where Origin("https://\(host)") == nil {
            ssf.report("push_hosts", element: index, "must be a host or host:port, not `\(host)`")
        }
        for key in ["enabled", "signing_algorithm", "push_hosts"] where ssf.has(key) {
            warnOfLater("ssf.\(key)")
        }
    }

    /// Says that a setting does nothing yet: an operator must not believe that it does.
    func warnOfLater(_ path: String) { warn(path, "is checked, but not in force in this release") }

    private func readSession(into settings: inout ProjectSettings) {
        let session = root.section("session")
        let range = 300...31_536_000
        let life = session.integer("lifetime_seconds", in: range, default: 2_592_000)
        settings.sessionLifetimeSeconds = Int64(life)
        let idle = session.integer("idle_timeout_seconds", in: range, default: 604_800)
        settings.sessionIdleSeconds = Int64(idle)
        let authentication = root.section("authentication")
        settings.signup = authentication.choice("signup", default: .open)
        let link = authentication.integer(
            "login_link.lifetime_seconds",
            in: 60...1800,
            default: 600
        )
        settings.loginLinkLifetimeSeconds = Int64(link)
    }

    private enum SSFAlgorithm: String, CaseIterable {
        case rs256 = "RS256"
        case es256 = "ES256"
    }
}
