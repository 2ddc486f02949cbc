/// Why a process must not work on this database, and what to do about it.
package struct StartRefusal: Hashable, Sendable {
    /// Of the process's own file, such as `database.user`; what the server's setting is under.
    package let setting: String
    /// A part of a line.
    package let sentence: String
    /// A part of a line, which ends with a full stop.
    package let remedy: String

    /// All without a secret.
    package init(_ setting: String, _ sentence: String, _ remedy: String) {
        self.setting = setting
        self.sentence = sentence
        self.remedy = remedy
    }

    /// The projects of the log have names that the root secret of the process does not give them
    /// (decision 0017).
    package static let foreignRoot = Self(
        "keys.directory",
        "its root secret did not make the projects that this database holds",
        "Copy the whole key directory of the machines that serve them to this path, in the place of"
            + " what is there, or name the database that this one belongs to."
    )

    /// All of it, as a process says it when it ends.
    package var line: String { "\(setting): \(sentence). \(remedy)" }
}
