package import Runtime

/// Why a server did not start or reload.
package enum ServerError: Error, Hashable, Sendable {
    /// An address could not be listened at.
    case listen(SocketAddress, SystemError)
    /// A file of the TLS settings could not be used: which, and the reason without its content.
    case tls(file: String, reason: String)
    /// The system refused a descriptor.
    case system(SystemError)
}
