internal import Domain
internal import OAuth

/// Reads one entry of `oauth.clients` (WireContract 3.2).
struct ClientReading {
    let section: Section
    let project: ProjectReading
    let projectSettings: ProjectSettings

    init(_ section: Section, _ project: ProjectReading, _ projectSettings: ProjectSettings) {
        self.section = section
        self.project = project
        self.projectSettings = projectSettings
    }

    func read() -> ReadClient {
        let named = ClientID(section.string("client_id", hint: "a name such as `app`"))
        if named == nil, section.has("client_id") {
            section.report("client_id", "must be letters, digits and `. _ ~ -`, at most 64")
        }
        if let named, [".", ".."].contains(named.text) {
            let problem = "must not be `.` or `..`: browsers leave these out of a link's path"
            project.reportUnlessInForce(section, "client_id", problem)
        }
        let type = section.optionalChoice(
            "x_application_type",
            of: ClientSettings.ApplicationType.self
        )
        if !section.has("x_application_type") {
            let known = ClientSettings.ApplicationType.allCases.map(\.rawValue)
            section.report(
                "x_application_type",
                "is required: one of \(known.joined(separator: ", "))",
                kind: .missing
            )
        }
        var client = ClientSettings(
            id: named ?? Placeholder.client,
            name: project.name(section),
            applicationType: type ?? .native
        )
        client.enabled = section.bool("enabled", default: true)
        let profile = SecurityProfile(section, project, projectSettings)
        client.isFAPI = profile.isOn
        readAuthentication(profile, into: &client)
        readURIs(into: &client)
        readTokens(profile, into: &client)
        let features = ClientFeatures(section, project, client).read()
        client.app2app = features.app2app
        client.biometric = features.biometric
        client.nativeSSOGroup = features.nativeSSOGroup
        client.preAuthenticatedURL = features.preAuthenticatedURL
        readScopes(features, into: &client)
        readLogin(into: &client)
        return ReadClient(
            section: section,
            settings: client,
            isNamed: named != nil,
            app2appTargets: features.app2appTargets
        )
    }

    private func readAuthentication(_ profile: SecurityProfile, into client: inout ClientSettings) {
        let type = client.applicationType
        let method: ClientSettings.AuthenticationMethod =
            profile.isOn ? .privateKeyJWT : client.authenticationMethod
        client.authenticationMethod = section.choice("token_endpoint_auth_method", default: method)
        if client.authenticationMethod == .none, type == .confidential || type == .m2m {
            let problem = "`none` is not allowed for \(type.rawValue)"
            section.report("token_endpoint_auth_method", problem)
        }
        readSecrets(into: &client)
        client.keys = KeySetReading(section).read()
        if client.authenticationMethod == .privateKeyJWT, section.sections("jwks.keys").isEmpty {
            section.report("jwks", "is required for private_key_jwt: {keys: [{kty: …, kid: …}]}")
        }
    }

    private func readSecrets(into client: inout ClientSettings) {
        let key = "client_secret_sha256"
        let digests = section.strings(key)
        if digests.count > 2 { section.report(key, "at most 2 at a time") }
        for (index, text) in digests.enumerated() {
            let bytes = Hexadecimal.decode(Array(text.utf8))
            if let bytes, let digest = TokenDigest(bytes: bytes) {
                client.secretDigests.append(digest)
                if EmptyDigest.equals(bytes) {
                    project.reportUnlessInForce(section, key, EmptyDigest.problem)
                }
            } else {
                let problem = "must be a SHA-256 digest: 64 hexadecimal digits in lower case"
                section.report(key, element: index, problem)
            }
        }
        // One that is disabled waits, perhaps for its secret.
        let method = client.authenticationMethod
        let needsSecret = method == .clientSecretBasic || method == .clientSecretPost
        if needsSecret, digests.isEmpty, client.enabled {
            let problem =
                "is required for \(method.rawValue): without a secret the client is always refused"
            project.reportUnlessInForce(section, key, problem)
        }
    }

    private func readURIs(into client: inout ClientSettings) {
        client.redirectURIs = redirectURIs("redirect_uris", client)
        client.postLogoutRedirectURIs = redirectURIs("post_logout_redirect_uris", client)
        if client.redirectURIs.isEmpty, client.applicationType != .m2m,
            section.strings("redirect_uris").isEmpty
        {
            section.report("redirect_uris", "is required: at least one URI", kind: .missing)
        }
        if let text = section.optionalString("backchannel_logout_uri") {
            let origin = (try? AbsoluteURI(Array(text.utf8)))?.origin
            if origin.map(project.isAllowed) != true {
                section.report("backchannel_logout_uri", "must be an https URL without fragment")
            }
        }
        _ = section.bool("backchannel_logout_session_required", default: true)
    }

    private func redirectURIs(_ key: String, _ client: ClientSettings) -> [RedirectURI] {
        let isNative = client.applicationType == .native
        var seen: Set<RedirectURI> = []
        return section.strings(key).enumerated().compactMap { index, text in
            do throws(RedirectURIRules.Refusal) {
                let parsed = try RedirectURIRules.check(Array(text.utf8), isNative: isNative)
                if RedirectURIRules.deservesWarning(parsed) {
                    let why = "any app may claim scheme \(parsed.scheme); use a reversed domain"
                    project.warn("\(section.path).\(key)[\(index)]", why)
                }
            } catch {
                if !isDevelopmentHTTP(text, error) {
                    section.report(key, element: index, URIProblem.text(of: error))
                }
            }
            guard let uri = RedirectURI(text) else { return nil }
            if !seen.insert(uri).inserted { section.report(key, element: index, "appears twice") }
            return uri
        }
    }

    /// A web application under development has no certificate either.
    private func isDevelopmentHTTP(_ text: String, _ refusal: RedirectURIRules.Refusal) -> Bool {
        refusal == .plainHTTP
            && (try? AbsoluteURI(Array(text.utf8)))?.origin.map(project.isAllowed) == true
    }

    private func readLogin(into client: inout ClientSettings) {
        client.loginLinkMode = section.choice(
            "x_login_link_cross_device_approval",
            default: .automatic
        )
        if client.loginLinkMode == .automatic, client.applicationType != .m2m {
            let path = "\(section.path).x_login_link_cross_device_approval"
            project.warn(path, "`automatic` from another device is one tap from phishing")
        }
        if let text = section.optionalString("x_login_link_app_client_id") {
            if let app = ClientID(text) {
                client.loginLinkApp = app
            } else {
                section.report("x_login_link_app_client_id", "no client is \(text)")
            }
        }
        client.universalLink = UniversalLinkReading(section, project).read()
    }
}
