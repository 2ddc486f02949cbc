internal import Configuration

/// What a SIGHUP changed, and what it could not.
package struct SettingsChange: Hashable, Sendable {
    /// The changed settings that are in use now.
    package let used: [String]
    /// The settings that differ from those that the process started with, and need a restart.
    package let waiting: [String]

    /// Compares `new` with what is in use: what may change came with the last reading that was
    /// right, everything else with the start.
    package init<Settings: ProcessSettings>(_ new: Settings, last: Settings, started: Settings) {
        func isChangeable(_ path: String) -> Bool {
            Settings.changeable.contains { path == $0 || path.hasPrefix("\($0).") }
        }
        used = new.values.changes(since: last.values).filter(isChangeable)
        waiting = new.values.changes(since: started.values).filter { !isChangeable($0) }
    }
}
