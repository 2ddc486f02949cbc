/// Where a request came from, in the two precisions anybody may know.
package struct NetworkAddress: Hashable, Sendable {
    /// What limits count by: the IPv4 address, or the /64 of an IPv6 one (Security 9).
    package var limitKey: [UInt8]
    /// The /24 or /48, for `es.contexts` (Events 1).
    package var network: String

    package init(limitKey: [UInt8], network: String) {
        self.limitKey = limitKey
        self.network = network
    }
}
