/// Streams that a walk over many could not read: what is in the others is done all the same.
///
/// Some event of such a stream is of a newer program, or damaged (Events 4).
struct UnreadableStreams {
    private(set) var first: StoreError?
    /// Whether something was left out that can only be told later.
    var isWaiting = false

    /// Keeps the first in mind.
    ///
    /// - Throws: any other error.
    mutating func note(_ error: StoreError) throws(StoreError) {
        guard case .corrupt = error else { throw error }
        if first == nil { first = error }
    }

    /// Behind the walk.
    ///
    /// - Throws: `.unavailable` when something waits, so that the walk is made again; `.corrupt`
    ///   with the first of them, if there were any.
    func report() throws(StoreError) {
        if isWaiting { throw .unavailable }
        if let first { throw first }
    }
}
