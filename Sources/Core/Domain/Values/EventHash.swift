/// The hash of an event, chained over its stream (Events 6): 32 bytes.
package struct EventHash: Hashable, Sendable {
    package let digest: TokenDigest

    package init(digest: TokenDigest) { self.digest = digest }
}
