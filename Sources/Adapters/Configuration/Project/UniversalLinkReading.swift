internal import Domain

/// Reads `universal_link`: the apps that open links of a client (WireContract 3.2, 7.6).
struct UniversalLinkReading {
    private static let fingerprintsMax = 8
    private let link: Section
    private let project: ProjectReading

    init(_ client: Section, _ project: ProjectReading) {
        link = client.section("universal_link")
        self.project = project
    }

    func read() -> ClientSettings.UniversalLink {
        var result = ClientSettings.UniversalLink()
        let ios = link.section("ios")
        let iosBundle = bundle(ios, with: "-")
        let team = ios.optionalString("team_id")
        if let team, !Self.isTeam(team) {
            ios.report("team_id", "must be 10 upper-case letters and digits, not `\(team)`")
        }
        if ios.bool("enabled", default: false) {
            require(ios, "bundle_id", "such as com.example.app")
            result.iosAppID = team.map { "\($0).\(iosBundle ?? "")" } ?? iosBundle
            if team == nil {
                project.warn("\(ios.path).team_id", "iOS ignores links of an app without team id")
            }
        }
        let android = link.section("android")
        let androidBundle = bundle(android, with: "_")
        let fingerprints = fingerprints(android)
        if android.bool("enabled", default: false) {
            require(android, "bundle_id", "such as com.example.app")
            requireFingerprint(android, fingerprints)
            result.androidPackage = androidBundle
            result.androidFingerprints = fingerprints
        }
        result.opensApp2App = link.bool("app2app", default: false)
        return result
    }

    private func require(_ section: Section, _ key: String, _ hint: String) {
        if !section.has(key) { section.report(key, "is required when enabled: \(hint)") }
    }

    /// A list without any is as none, which documents of before may have.
    private func requireFingerprint(_ android: Section, _ fingerprints: [String]) {
        let (key, hint) = ("sha_signature", "32 hexadecimal pairs joined by colons")
        require(android, key, hint)
        if android.isList(key), fingerprints.isEmpty {
            project.reportUnlessInForce(android, key, "is required when enabled: \(hint)")
        }
    }

    /// `mark`: what names of the platform's apps may have besides letters, digits and dots.
    private func bundle(_ app: Section, with mark: String) -> String? {
        guard let text = app.optionalString("bundle_id") else { return nil }
        guard !Self.isBundle(text, with: mark) else { return text }
        let problem = "must be 3-155 letters, digits, `.` and `\(mark)`"
        // The mark of iOS was once that of Android, too (decision 0257).
        if Self.isBundle(text, with: "-") {
            project.reportUnlessInForce(app, "bundle_id", problem)
        } else {
            app.report("bundle_id", problem)
        }
        return text
    }

    /// One fingerprint, or a list of at most 8; in upper case, as Android compares them.
    private func fingerprints(_ android: Section) -> [String] {
        let key = "sha_signature"
        let isList = android.isList(key)
        let texts =
            isList ? android.strings(key) : android.optionalString(key).map { [$0] } ?? []
        if texts.count > Self.fingerprintsMax {
            android.report(key, "at most \(Self.fingerprintsMax) fingerprints")
        }
        for (index, text) in texts.enumerated() where !Self.isFingerprint(text) {
            let problem = "must be 32 hexadecimal pairs joined by colons"
            if isList {
                android.report(key, element: index, problem)
            } else {
                android.report(key, problem)
            }
        }
        return texts.map { $0.uppercased() }
    }

    private static func isTeam(_ text: String) -> Bool {
        text.utf8.count == 10
            && text.utf8.allSatisfy { 0x30...0x39 ~= $0 || 0x41...0x5A ~= $0 }
    }

    private static func isBundle(_ text: String, with mark: String) -> Bool {
        3...155 ~= text.utf8.count
            && text.utf8.allSatisfy {
                0x30...0x39 ~= $0 || 0x41...0x5A ~= $0 || 0x61...0x7A ~= $0 || $0 == 0x2E
                    || mark.utf8.contains($0)
            }
    }

    private static func isFingerprint(_ text: String) -> Bool {
        let pairs = text.utf8.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        return pairs.count == 32
            && pairs.allSatisfy { pair in
                pair.count == 2
                    && pair.allSatisfy {
                        0x30...0x39 ~= $0 || 0x41...0x46 ~= $0 || 0x61...0x66 ~= $0
                    }
            }
    }
}
