/// The sections that the files of our programs have: there are no others.
package enum SettingsSection: String, CaseIterable, Sendable {
    case node, listen, admin, database, kafka, keys, mail, relay, limits
    case rateLimits = "rate_limits"
    case log
}

extension Section {
    /// The section of this name; an absent one is empty.
    package func section(_ name: SettingsSection) -> Section { section(name.rawValue) }

    /// Passes over what other programs read: a file of theirs serves for the sections `read`.
    package func ignore(allBut read: Set<SettingsSection>) {
        for section in SettingsSection.allCases where !read.contains(section) {
            ignore(section.rawValue)
        }
    }
}
