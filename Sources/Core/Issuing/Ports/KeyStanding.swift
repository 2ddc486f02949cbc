/// What a second key is to the current one while it is replaced (decisions 0205 and 0206).
///
/// The raw value is its name in settings, metrics and logs.
package enum KeyStanding: String, Hashable, Sendable, CaseIterable {
    /// Becomes the current one.
    case next
    /// Was the current one.
    case former
}
