package import Configuration

/// What a process reads from its file, and again at SIGHUP.
package protocol ProcessSettings: Sendable {
    /// What may change while the process runs: settings, and sections with all that they hold.
    static var changeable: [String] { get }
    /// What stood in the file, and in the environment.
    var values: SettingsValues { get }
    /// Who may operate it, among other things.
    var admin: AdminSettings { get }
    /// The files that they name.
    var startFiles: StartFiles { get }
}
