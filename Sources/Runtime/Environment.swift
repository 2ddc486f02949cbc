internal import CLinux

/// The process's environment: settings, never secrets (Security 6), but for the token
/// that an operator's shell may hold (decision 0182).
package enum Environment {
    /// All variables; of a name given twice the first counts, as in getenv(3).
    package static func all() -> [String: String] {
        var values: [String: String] = [:]
        guard var next = unsafe clinux_environment() else { return values }
        while let entry = unsafe next.pointee {
            let pair = unsafe String(cString: entry)
            if let equals = pair.utf8.firstIndex(of: UInt8(ascii: "=")) {
                let name = String(pair[..<equals])
                let value = String(pair[pair.utf8.index(after: equals)...])
                if values[name] == nil { values[name] = value }
            }
            unsafe next += 1
        }
        return values
    }

    /// One variable; nil when it is not set.
    package static func value(_ name: String) -> String? {
        guard !name.utf8.contains(0), let value = unsafe getenv(name) else { return nil }
        return unsafe String(cString: value)
    }
}
