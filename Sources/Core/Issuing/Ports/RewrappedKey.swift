/// A row as it was found, and as another key encryption key wraps it.
package struct RewrappedKey: Hashable, Sendable {
    package var found: WrappedSealingKey
    package var anew: WrappedSealingKey

    package init(found: WrappedSealingKey, anew: WrappedSealingKey) {
        self.found = found
        self.anew = anew
    }
}
