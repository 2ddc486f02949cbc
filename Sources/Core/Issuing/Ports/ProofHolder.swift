package import Domain

/// Whose places a proof takes in a node's memory.
package struct ProofHolder: Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
        case key(Thumbprint)
        /// With all its keys, of which it makes as many as it likes.
        case client(ClientID)
    }

    package var kind: Kind
    package var project: ProjectNumber

    package init(_ kind: Kind, in project: ProjectNumber) {
        self.kind = kind
        self.project = project
    }
}
