internal import Domain

/// Where a command came from (Events 1, `es.contexts`); losing a row is allowed.
package protocol ContextLog: Sendable {
    /// Written after the append, without waiting for it.
    func record(_ context: RequestContext)
}
