package import Domain

/// Events of one stream as PostgreSQL has them.
package enum StreamHistory: Hashable, Sendable {
    /// Those of a session in order, each with its number, and the last version of them; that is
    /// the one asked after when there is no other. Without `isAll`, further ones have no number
    /// yet.
    case events([RecordedEvent], last: Int32, isAll: Bool)
    /// Some have no number yet: the relay is about to record it.
    case unnumbered
    /// A version that this program cannot read; the text says which and why.
    case unreadable(String)
}
