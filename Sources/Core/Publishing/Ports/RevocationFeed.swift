package import Domain

/// The read model of revocations, as the feed reads it.
package protocol RevocationFeed: Sendable {
    /// The log it is of; nil while that is not known.
    var log: StreamID? { get }

    /// Revocations of a project that are still relevant, after number `after`, at most `limit`,
    /// and none beyond the frontier: a later one could get a smaller number.
    ///
    /// Nil: the database does not answer.
    func page(of project: ProjectNumber, after: Int64, limit: Int) async -> RevocationPage?
}
