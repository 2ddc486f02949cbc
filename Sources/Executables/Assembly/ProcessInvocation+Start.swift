internal import Configuration
internal import Runtime

// What every process begins with.
extension ProcessInvocation {
    /// How this process was called; ends it when that was for a text, or wrong.
    static func read(_ program: String, _ purpose: String) -> ProcessInvocation {
        let invocation = ProcessInvocation(CommandLine.arguments.dropFirst())
        if let early = invocation.early(program, purpose) {
            ThisProcess.end(early.text, early.code)
        }
        return invocation
    }

    /// What `read` makes of the settings; ends the process when they cannot be used.
    func startSettings<Settings>(
        _ read: (SettingsDocument) throws(ConfigurationError) -> Settings
    ) -> Settings {
        do throws(Unreadable) { return try readSettings(read) } catch {
            ThisProcess.end(error.text, .configuration)
        }
    }
}
