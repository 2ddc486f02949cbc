/// Variables that look like an override of a setting and are none, such as
/// `CHANCERY_DATABASE__HOST` (decision 0214).
enum NearVariable {
    /// Whether `name` begins with a section after one underscore, and is none that Kubernetes sets
    /// for a service called so.
    static func isOne(_ name: String, _ value: String) -> Bool {
        let isOfSection = SettingsSection.allCases.contains { section in
            name.hasPrefix("CHANCERY_\(section.rawValue.uppercased())_")
        }
        return isOfSection && !isOfService(name, value)
    }

    /// `…_SERVICE_HOST`, `…_SERVICE_PORT_HTTP`, `…_PORT=tcp://10.0.0.1:80`, `…_PORT_80_TCP_ADDR`.
    private static func isOfService(_ name: String, _ value: String) -> Bool {
        let words = name.split(separator: "_", omittingEmptySubsequences: false)
        for (word, next) in zip(words, words.dropFirst()) {
            if word == "SERVICE", next == "HOST" || next == "PORT" { return true }
            if word == "PORT", UInt16(next) != nil { return true }
        }
        let protocols = ["tcp://", "udp://", "sctp://"]
        return words.last == "PORT" && protocols.contains { value.hasPrefix($0) }
    }
}
