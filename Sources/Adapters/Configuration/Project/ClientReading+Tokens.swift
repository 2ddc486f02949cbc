internal import Domain
internal import OAuth

extension ClientReading {
    func readTokens(_ profile: SecurityProfile, into client: inout ClientSettings) {
        client.accessTokenLifetimeSeconds = Int64(
            section.integer("access_token_lifetime_seconds", in: 60...3600, default: 900)
        )
        let range = 3600...31_536_000
        client.refreshTokenLifetimeSeconds = Int64(
            section.integer("refresh_token_lifetime_seconds", in: range, default: 15_552_000)
        )
        let idle = section.integer(
            "refresh_token_idle_timeout_seconds",
            in: 300...31_536_000,
            default: 2_592_000
        )
        let hasIdle = section.bool("refresh_token_idle_timeout_enabled", default: true)
        client.refreshTokenIdleSeconds = hasIdle ? Int64(idle) : nil
        client.refreshTokenRotation = rotation(profile, client)
        client.refreshTokenGraceSeconds = Int64(
            section.integer("refresh_token_rotation_grace_seconds", in: 0...60, default: 30)
        )
        client.pkce = pkce(profile, client)
        client.idTokenAlgorithm = section.choice(
            "id_token_signed_response_alg",
            default: projectSettings.signingAlgorithm
        )
        let consent = client.applicationType == .thirdPartyApp
        client.consentRequired = section.bool("x_consent_required", default: consent)
        client.grantTypes = grantTypes(client.applicationType)
        client.defaultResources = section.strings("default_resources")
        client.resources = section.strings("resources")
        if !client.resources.isEmpty, client.applicationType != .m2m {
            section.report("resources", "is for m2m clients: the audiences a service is")
        }
        let isBound = section.bool("dpop_bound_access_tokens", default: profile.isOn)
        let isDisabled = section.bool("x_dpop_disabled", default: false)
        if isDisabled, isBound {
            section.report("x_dpop_disabled", "contradicts dpop_bound_access_tokens")
        }
        client.dpop = isDisabled ? .disabled : isBound ? .bound : .optional
        client.requiresPushedRequests = section.bool(
            "require_pushed_authorization_requests",
            default: profile.isOn
        )
        if section.has("backchannel_logout_uri") {
            project.warnOfLater("\(section.path).backchannel_logout_uri")
        }
        profile.check(client)
    }

    private func rotation(_ profile: SecurityProfile, _ client: ClientSettings)
        -> ClientSettings.Rotation
    {
        let other = section.optionalBool("refresh_token_rotation_enabled")
        let named = section.optionalChoice(
            "refresh_token_rotation",
            of: ClientSettings.Rotation.self
        )
        if other != nil, named != nil {
            let problem = "contradicts refresh_token_rotation; keep one of the two"
            section.report("refresh_token_rotation_enabled", problem)
        }
        let rotation = named ?? other.map { $0 ? .always : .never }
        if rotation == .never, client.authenticationMethod == .none {
            let path = "\(section.path).refresh_token_rotation"
            project.warn(path, "without rotation a stolen token of a public client stays good")
        }
        return rotation ?? (profile.isOn ? .never : .auto)
    }

    private func pkce(_ profile: SecurityProfile, _ client: ClientSettings) -> ClientSettings.PKCE {
        let required = section.optionalBool("require_pkce")
        if client.authenticationMethod == .none || client.applicationType.isPublic {
            if required == false {
                section.report("require_pkce", "cannot be false for a public client")
            }
            return .required
        }
        switch required {
        case true?: return .required
        case false?: return .optional
        case nil: return profile.isOn ? .required : .challengeOrNonce
        }
    }

    private func grantTypes(_ type: ClientSettings.ApplicationType) -> [String] {
        let allowed = GrantTypes.allowed(for: type)
        let names = section.strings("grant_types", default: allowed)
        for (index, name) in names.enumerated() where !allowed.contains(name) {
            let problem = "\(name) is not for \(type.rawValue); it may be one of "
            section.report("grant_types", element: index, problem + allowed.joined(separator: ", "))
        }
        return names
    }

    func readScopes(_ features: ClientFeatures, into client: inout ClientSettings) {
        let type = client.applicationType
        let defaults = defaultScopes(features, type)
        guard let names = section.optionalStrings("allowed_scopes") else {
            client.allowedScopes = Scope(unchecked: defaults)
            return
        }
        for (index, name) in names.enumerated() {
            if let problem = problem(withScope: name, features, type) {
                section.report("allowed_scopes", element: index, problem)
            }
        }
        if names.count > Scope.tokensMax {
            section.report("allowed_scopes", "at most \(Scope.tokensMax) scopes")
        }
        client.allowedScopes = Scope(unchecked: names)
    }

    private func defaultScopes(
        _ features: ClientFeatures,
        _ type: ClientSettings.ApplicationType
    ) -> [String] {
        guard type != .m2m else { return [] }
        var scopes = BuiltInScopes.user
        if type.isFirstParty { scopes += BuiltInScopes.firstParty }
        if features.hasDeviceSSO { scopes.append(BuiltInScopes.deviceSSO) }
        if features.preAuthenticatedURL != nil { scopes.append(BuiltInScopes.preAuthenticatedURL) }
        return scopes
    }

    private func problem(
        withScope name: String,
        _ features: ClientFeatures,
        _ type: ClientSettings.ApplicationType
    ) -> String? {
        if projectSettings.resources.contains(where: { $0.scopes.contains(name) }) { return nil }
        guard BuiltInScopes.all.contains(name) else {
            return "\(name) is no built-in scope and of none of oauth.resources"
        }
        if BuiltInScopes.machine.contains(name) {
            return type == .m2m ? nil : "\(name) is for m2m clients"
        }
        if type == .m2m { return "\(name) is not for m2m clients: there is no user" }
        if BuiltInScopes.firstParty.contains(name), !type.isFirstParty {
            return "\(name) is for first-party clients"
        }
        if name == BuiltInScopes.deviceSSO, !features.hasDeviceSSO {
            return "device_sso needs x_native_sso_group or x_pre_authenticated_url_enabled"
        }
        if name == BuiltInScopes.preAuthenticatedURL, features.preAuthenticatedURL == nil {
            return "\(name) needs x_pre_authenticated_url_enabled"
        }
        return nil
    }
}
