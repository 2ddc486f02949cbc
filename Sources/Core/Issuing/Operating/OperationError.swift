package import Domain

/// Why an operator's command was not confirmed.
///
/// It did not, unless `store` says `.outcomeUnknown`: then it may have.
package enum OperationError: Error, Hashable {
    case notFound
    case conflict(Conflict)
    case invalid(ProjectFindings)
    case store(StoreError)
    case keys(KeyVaultError)

    /// The state has moved since the operator looked, or does not allow it.
    package enum Conflict: Hashable, Sendable {
        case key(SigningKeyRing.Rejection)
        case document(ProjectConfig.Rejection)
        case user(Subject.Rejection)
        /// Another project answers one of the document's hosts.
        case sharedHost(String, of: ProjectID)
        /// Another project sends web clients' servers a cookie of the same name.
        case sharedCookie(AccessCookie, of: ProjectID)
        case tooManyProjects
        /// The private half of the key is not at this node, or cannot be read here: why.
        case unusableFile(String)
        /// The key to give up signs now, and no other would.
        case signingKey
        /// The log holds projects that another root secret has made.
        case foreignRoot
        /// This program cannot read the events of another project, whose hosts nobody knows then.
        case unknownHosts(of: ProjectNumber)
    }
}

extension CommandError where Refusal == OperationError {
    /// The one error an operator hears.
    package var operation: OperationError {
        switch self {
        case .refused(let refusal): refusal
        case .store(let why): .store(why)
        }
    }
}
