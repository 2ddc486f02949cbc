/// Where a request came from, in the precisions anybody may know.
package struct NetworkAddress: Hashable, Sendable {
    /// How many times what an address may do its /48 may, where visits are counted (decision 0242):
    /// of connections it is as much.
    package static let widerFactor = 4

    /// What limits count by: the IPv4 address, or the /64 of an IPv6 one (Security 9).
    package var limitKey: [UInt8]
    /// The /48 of an IPv6 address; nil for any other.
    package var widerLimitKey: [UInt8]?
    /// The /24 or /48, for `es.contexts` (Events 1).
    package var network: String

    package init(limitKey: [UInt8], widerLimitKey: [UInt8]? = nil, network: String) {
        self.limitKey = limitKey
        self.widerLimitKey = widerLimitKey
        self.network = network
    }
}
