package import Runtime

/// Section `log`.
package struct LogSettings: Sendable {
    package let level: Log.Level

    private enum Name: String, CaseIterable { case debug, info, notice, warning, error }

    /// Reads the section; findings go to its document.
    package init(_ root: Section) {
        switch root.section(.log).choice("level", default: Name.info) {
        case .debug: level = .debug
        case .info: level = .info
        case .notice: level = .notice
        case .warning: level = .warning
        case .error: level = .error
        }
    }
}
