/// What a read or write on a non-blocking descriptor did.
package enum Transfer: Hashable, Sendable {
    /// So many bytes, at least one, were moved.
    case moved(Int)
    /// Nothing now; wait until the loop says ready.
    case wouldBlock
    /// Reading: the other side ended. Writing to a socket: never.
    case ended
    /// The connection is broken.
    case failed(SystemError)
}
