internal import OAuth

/// What an issuer's origin allows.
package enum IssuerOrigin {
    /// Whether it never leaves the machine: loopback, `*.localhost`, `*.test`.
    package static func isForDevelopment(_ issuer: String) -> Bool {
        (try? AbsoluteURI(Array(issuer.utf8)))?.origin?.host.isForDevelopment ?? false
    }
}
