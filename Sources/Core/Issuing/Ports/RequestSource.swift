/// Who sent a request, as far as it is kept; asked only for what is worth keeping.
package protocol RequestSource: AnyObject, Sendable {
    /// The caller's network: /24 or /48.
    var network: String { get }
    /// As it was sent; empty when it was not, or twice.
    var userAgent: String { get }
}
