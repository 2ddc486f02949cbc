package import Runtime

/// Why a server did not start or reload.
package enum ServerError: Error, Hashable, Sendable, CustomStringConvertible {
    /// An address could not be listened at.
    case listen(SocketAddress, SystemError)
    /// A file of the TLS settings could not be used: which, and the reason without its content.
    case tls(file: String, reason: String)
    /// The system refused a descriptor.
    case system(SystemError)

    /// One line in words.
    package var description: String {
        switch self {
        case .listen(let address, let why): "cannot listen at \(address): \(why)"
        case .tls(let file, let reason): "\(file): \(reason)"
        case .system(let why): why.description
        }
    }
}
