internal import Domain
internal import OAuth

/// The switches of app2app, biometric keys, native SSO and pre-authenticated URLs.
///
/// Checked as wire.md section 3.2 says; only what other keys depend on is kept until the features
/// themselves read them.
struct ClientFeatures {
    private(set) var hasDeviceSSO = false
    private(set) var hasPreAuthenticatedURL = false
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
        for key in switches { _ = section.bool(key, default: false) }
        if section.optionalBool(switches[0]) == true {
            project.warn("\(section.path).\(switches[0])", "a stolen token can bind a thief's key")
        }
        app2appTargets = section.strings("x_app2app_allowed_clients")
        if let date = section.optionalString("x_app2app_insecure_binding_until"), !Self.isDate(date)
        {
            let problem = "must be a date such as 2026-12-31, not `\(date)`"
            section.report("x_app2app_insecure_binding_until", problem)
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
        if section.bool("x_biometric_enabled", default: false), !isNative {
            section.report("x_biometric_enabled", "is for native clients")
        }
        _ = section.integer("x_biometric_setup_max_age_seconds", in: 0...31_536_000, default: 300)
        let group = section.optionalString("x_native_sso_group")
        if let group {
            if !isNative { section.report("x_native_sso_group", "is for native clients") }
            let isName = group.utf8.allSatisfy {
                0x61...0x7A ~= $0 || 0x30...0x39 ~= $0 || $0 == UInt8(ascii: "-")
            }
            if !isName || !(1...40 ~= group.utf8.count) {
                section.report("x_native_sso_group", "must be `a`-`z`, digits and `-`, at most 40")
            }
        }
        hasPreAuthenticatedURL = section.bool("x_pre_authenticated_url_enabled", default: false)
        if hasPreAuthenticatedURL, !client.applicationType.isPublic {
            section.report("x_pre_authenticated_url_enabled", "is for native and web clients")
        }
        let key = "x_pre_authenticated_url_allowed_origins"
        _ = project.origins(section, key)
        if section.has(key), !hasPreAuthenticatedURL {
            section.report(key, "needs x_pre_authenticated_url_enabled")
        }
        hasDeviceSSO = group != nil || hasPreAuthenticatedURL
    }

    /// `YYYY-MM-DD`, days as each month has them.
    private static func isDate(_ text: String) -> Bool {
        let parts = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        guard parts.map(\.count) == [4, 2, 2],
            parts.allSatisfy({ $0.allSatisfy { 0x30...0x39 ~= $0 } })
        else { return false }
        let numbers = parts.map { $0.reduce(0) { $0 * 10 + Int($1 - 0x30) } }
        let (year, month, day) = (numbers[0], numbers[1], numbers[2])
        let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        let days = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        return 1...12 ~= month && 1...days[month - 1] ~= day
    }
}
