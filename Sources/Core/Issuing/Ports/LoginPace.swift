package import Domain

/// How often a biometric key may log in at this node (Security 9, L2; decision 0251).
///
/// Asked before a login and told after it, as for refreshes: of those that send one JWT at once,
/// one is counted.
package protocol LoginPace: Sendable {
    /// The seconds until a key, by its stream, may log in; nil: now.
    ///
    /// Counts nothing: a command that is tried again asks again.
    func wait(for key: StreamID) -> Int?

    /// One login of it has been refused, since it had to wait.
    func countRefused(_ key: StreamID)

    /// One login of it was committed.
    func count(_ key: StreamID)
}
