internal import Domain
internal import OAuth

/// The switches of app2app, biometric keys, native SSO and pre-authenticated URLs.
///
/// Checked as WireContract 3.2 says.
struct ClientFeatures {
    private(set) var hasDeviceSSO = false
    private(set) var nativeSSOGroup: String?
    private(set) var preAuthenticatedURL: ClientSettings.PreAuthenticatedURL?
    private(set) var app2app: ClientSettings.App2App?
    private(set) var biometric: ClientSettings.Biometric?
    /// As written, for the check that they exist.
    private(set) var app2appTargets: [String] = []

    private let section: Section
    private let project: ProjectReading
    private let client: ClientSettings

    init(_ section: Section, _ project: ProjectReading, _ client: ClientSettings) {
        self.section = section
        self.project = project
        self.client = client
    }

    func read() -> ClientFeatures {
        var features = self
        features.readApp2App()
        features.readSharing()
        return features
    }

    private mutating func readApp2App() {
        let isOn = section.bool("x_app2app_enabled", default: false)
        let switches = [
            "x_app2app_insecure_device_key_binding_enabled",
            "x_app2app_biometric_protection_required", "x_app2app_cascade_revocation",
            "x_app2app_strict_jwt",
        ]
        let values = switches.map { section.bool($0, default: false) }
        if section.optionalBool(switches[0]) == true {
            project.warn("\(section.path).\(switches[0])", "a stolen token can bind a thief's key")
        }
        app2appTargets = section.strings("x_app2app_allowed_clients")
        let end = insecureBindingEnd()
        if isOn {
            app2app = ClientSettings.App2App(
                insecureBindingUntil: values[0] ? end : nil,
                biometricRequired: values[1],
                targets: section.has("x_app2app_allowed_clients")
                    ? app2appTargets.compactMap { ClientID($0) } : nil,
                cascades: values[2],
                isStrict: values[3]
            )
        }
        let dependent =
            switches + ["x_app2app_allowed_clients", "x_app2app_insecure_binding_until"]
        for key in dependent where !isOn && section.has(key) {
            section.report(key, "needs x_app2app_enabled")
        }
        if section.bool("universal_link.app2app", default: false), !isOn {
            section.report("universal_link.app2app", "needs x_app2app_enabled")
        }
    }

    private mutating func readSharing() {
        let isNative = client.applicationType == .native
        let hasBiometric = section.bool("x_biometric_enabled", default: false)
        if hasBiometric, !isNative {
            section.report("x_biometric_enabled", "is for native clients")
        }
        let key = "x_biometric_setup_max_age_seconds"
        let maxAge = section.integer(key, in: 0...31_536_000, default: 300)
        if hasBiometric {
            biometric = ClientSettings.Biometric(setupMaxAgeSeconds: Int64(maxAge))
        }
        nativeSSOGroup = section.optionalString("x_native_sso_group")
        if let group = nativeSSOGroup {
            if !isNative { section.report("x_native_sso_group", "is for native clients") }
            let isName = group.utf8.allSatisfy {
                0x61...0x7A ~= $0 || 0x30...0x39 ~= $0 || $0 == UInt8(ascii: "-")
            }
            if !isName || !(1...40 ~= group.utf8.count) {
                section.report("x_native_sso_group", "must be `a`-`z`, digits and `-`, at most 40")
            }
        }
        let hasURL = section.bool("x_pre_authenticated_url_enabled", default: false)
        if hasURL, !client.applicationType.isPublic {
            section.report("x_pre_authenticated_url_enabled", "is for native and web clients")
        }
        if hasURL, !isNative, client.dpop == .bound {
            section.report(
                "x_pre_authenticated_url_enabled",
                "contradicts dpop_bound_access_tokens: a cookie is bound to no key"
            )
        }
        if hasURL, !isNative, client.requiresPushedRequests {
            project.reportUnlessInForce(
                section,
                "x_pre_authenticated_url_enabled",
                "contradicts require_pushed_authorization_requests: a URL cannot be pushed; "
                    + "keep one of the two"
            )
        }
        let origins = "x_pre_authenticated_url_allowed_origins"
        let allowed = project.origins(section, origins)
        if hasURL {
            preAuthenticatedURL = ClientSettings.PreAuthenticatedURL(allowedOrigins: allowed)
        }
        if section.has(origins), !hasURL {
            section.report(origins, "needs x_pre_authenticated_url_enabled")
        }
        hasDeviceSSO = nativeSSOGroup != nil || hasURL
    }

    /// The instant after the last day; without a date, never.
    private func insecureBindingEnd() -> Instant {
        let key = "x_app2app_insecure_binding_until"
        guard let text = section.optionalString(key) else {
            return Instant(microseconds: .max)
        }
        guard let day = CivilDate(text) else {
            section.report(key, "must be a date such as 2026-12-31, not `\(text)`")
            return Instant(microseconds: .min)
        }
        return Instant(seconds: (day.daysSince1970 + 1) * 86_400)
    }
}
