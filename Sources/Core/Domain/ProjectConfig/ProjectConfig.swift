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
        /// When each client came that an earlier document had not, the last time; the fold's alone.
        package var clientsSince: [ClientID: Instant] = [:]

        package init(id: ProjectID, digest: TokenDigest, document: [UInt8]) {
            self.id = id
            self.digest = digest
            self.document = document
        }
    }

    /// The clients of a document that the one before had not, in its order.
    package struct Added: Hashable, Sendable {
        package var clients: [ClientID]
        package var at: Instant

        /// Nil when there are none.
        package init?(_ clients: [ClientID], at: Instant) {
            guard !clients.isEmpty else { return nil }
            self.clients = clients
            self.at = at
        }
    }

    package enum Command: Sendable {
        /// `expected`: digest the operator saw; nil creates the project.
        case apply(Applied, expected: TokenDigest?, changed: [String], added: Added? = nil)
        case suspend(reason: String)
        case resume
    }

    package enum Event: Hashable, Sendable {
        /// `changed`: the top-level paths that differ from before, sorted; of a project's first
        /// document no client is `added`.
        case applied(Applied, changed: [String], added: Added? = nil)
        case suspended(reason: String)
        case resumed
    }

    package enum Rejection: Error {
        case alreadyExists, unknown, otherProject
        /// Somebody applied another document since.
        case changedMeanwhile
    }
}
