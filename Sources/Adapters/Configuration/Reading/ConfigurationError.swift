/// Everything that is wrong with a configuration, in the order of the document.
package struct ConfigurationError: Error, Hashable, CustomStringConvertible {
    /// At least one.
    package let findings: [Finding]

    init(_ findings: [Finding]) { self.findings = findings }

    /// One `<path>: <what is wrong>` per line.
    package var description: String {
        findings.map(\.description).joined(separator: "\n")
    }
}
