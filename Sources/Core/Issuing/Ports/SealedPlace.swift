package import Domain

/// Where a sealed member stands; a value moved elsewhere does not open.
package struct SealedPlace: Hashable, Sendable {
    package var stream: StreamID
    package var member: String

    package init(stream: StreamID, member: String) {
        self.stream = stream
        self.member = member
    }
}
