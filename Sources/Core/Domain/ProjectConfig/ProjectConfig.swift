/// The configuration of a project as it was applied (Events 8.13).
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
        /// When each client went whose end is that of whom it had let in, the last time; the fold's
        /// alone.
        package var cascadedAt: [ClientID: Instant] = [:]

        package init(id: ProjectID, digest: TokenDigest, document: [UInt8]) {
            self.id = id
            self.digest = digest
            self.document = document
        }
    }

    /// Clients that only one of two documents has, in its order, and when the later one came.
    package struct Difference: Hashable, Sendable {
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
        case apply(
            Applied,
            expected: TokenDigest?,
            changed: [String],
            added: Difference? = nil,
            cascaded: Difference? = nil
        )
        case suspend(reason: String)
        case resume
    }

    package enum Event: Hashable, Sendable {
        /// `changed`: the top-level paths that differ from before, sorted; of a project's first
        /// document no client is `added`; `cascaded`: those that it lacks and whose end is that of
        /// whom they had let in, as the one before said.
        case applied(
            Applied,
            changed: [String],
            added: Difference? = nil,
            cascaded: Difference? = nil
        )
        case suspended(reason: String)
        case resumed
    }

    package enum Rejection: Error {
        case alreadyExists, unknown, otherProject
        /// Somebody applied another document since.
        case changedMeanwhile
    }
}
