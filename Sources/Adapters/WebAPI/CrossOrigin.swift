/// Who may read an answer from a page of another origin (WireContract 1.3).
package enum CrossOrigin: Hashable, Sendable {
    case none
    /// Everybody: the same bytes for all.
    case anyone
    /// The origins of the project's clients.
    case clients
}
