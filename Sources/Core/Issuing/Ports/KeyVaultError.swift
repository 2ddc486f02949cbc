internal import Domain

/// Why no key was made.
package enum KeyVaultError: Error, Hashable {
    /// The directory of this node takes no file; why, for the log.
    case unwritable(String)
    case unavailable
}
