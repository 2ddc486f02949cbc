/// The configuration of a project as it was applied (events.md section 8.13).
///
/// The document is kept as the operator wrote it; `ProjectSettings` is what it means.
package enum ProjectConfig {
    package enum State: Hashable, Sendable {
        case absent
        case applied(Applied)
        case suspended(Applied)
    }

    package struct Applied: Hashable, Sendable {
        package var id: ProjectID
        /// SHA-256 of the document: its `ETag`.
        package var digest: TokenDigest
        /// YAML, at most 256 KiB.
        package var document: [UInt8]

        package init(id: ProjectID, digest: TokenDigest, document: [UInt8]) {
            self.id = id
            self.digest = digest
            self.document = document
        }
    }

    package enum Command: Sendable {
        /// `expected`: digest the operator saw; nil creates the project.
        case apply(Applied, expected: TokenDigest?, changed: [String])
        case suspend(reason: String)
        case resume
    }

    package enum Event: Hashable, Sendable {
        /// `changed`: the top-level paths that differ from before, sorted.
        case applied(Applied, changed: [String])
        case suspended(reason: String)
        case resumed
    }

    package enum Rejection: Error {
        case alreadyExists, unknown, otherProject
        /// Somebody applied another document since.
        case changedMeanwhile
    }
}
