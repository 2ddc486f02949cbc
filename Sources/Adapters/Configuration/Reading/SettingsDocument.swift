internal import YAML

/// A process's configuration file with the environment's overrides (Architecture 10).
///
/// Read every key through `root`, then call `finish`: it throws all that was wrong at once.
/// ```
/// let document = SettingsDocument(bytes, environment: environment)
/// let host = document.root.string("database.host", default: "/run/postgresql")
/// try document.finish()
/// ```
package struct SettingsDocument {
    private let reader: DocumentReader

    /// The names of variables that override a value begin with this.
    package static let variablePrefix = "CHANCERY__"

    /// Takes YAML and the process's environment.
    ///
    /// `CHANCERY__DATABASE__HOST` sets `database.host`; list elements are named by their index. A
    /// name that is nearly such a one is refused (decision 0214).
    /// With `isInsecureDev` a section may take what only a developer's machine has.
    /// - Throws: when the bytes are no YAML this program takes, with the place.
    package init(
        _ bytes: [UInt8],
        environment: [String: String] = [:],
        isInsecureDev: Bool = false
    ) throws(ConfigurationError) {
        let parsed: YAMLNode
        do { parsed = try YAMLDocument.parse(bytes) } catch {
            throw ConfigurationError([Finding("", at: error.place, error.description)])
        }
        guard case .mapping = parsed.content else {
            let message = "must hold keys and values, such as `log: {level: info}`"
            throw ConfigurationError([Finding("", at: parsed.place, message)])
        }
        var overrides = EnvironmentOverrides(parsed)
        for name in environment.keys.sorted() {
            if name.hasPrefix(Self.variablePrefix) {
                overrides.apply(name, environment[name] ?? "")
            } else if NearVariable.isOne(name, environment[name] ?? "") {
                overrides.refuseNear(name)
            }
        }
        guard overrides.findings.isEmpty else { throw ConfigurationError(overrides.findings) }
        reader = DocumentReader(
            overrides.root,
            overrides: overrides.names,
            isInsecureDev: isInsecureDev
        )
    }

    /// The whole document.
    package var root: Section { reader.section }

    /// What stands in it, whoever reads it.
    package var values: SettingsValues { SettingsValues(reader.root) }

    /// Ends reading.
    ///
    /// - Throws: everything that was wrong, unknown keys included, in the order of the document.
    package func finish() throws(ConfigurationError) { try reader.finish() }
}
