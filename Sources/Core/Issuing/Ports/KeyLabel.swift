internal import Domain

/// What a derived key is for; the raw value is the HKDF `info`.
package enum KeyLabel: String, CaseIterable, Sendable {
    /// Names of class-K streams: never rotated (Events 2.2).
    case lookup
    case refresh
    case loginLink = "login_link"
    case form
    case cursor
    /// Parameters kept in a URL for five minutes (WireContract 4).
    case reference
    /// Folded states kept in the database (Events 7).
    case snapshot
    /// Challenges that phones sign (WireContract 6.1).
    case challenge
    /// What browsers and apps carry of an app's session (WireContract 8.1 and 9.6).
    case appSession = "app_session"
    /// Nonces for proofs of possession (RFC 9449 section 8).
    case dpopNonce = "dpop_nonce"
    /// Codes that can be made again, of pushed requests first (decisions 0114 and 0128).
    case pushedCode = "pushed_code"
    /// Successors of device secrets (WireContract 5.1).
    case deviceSecret = "device_secret"
    /// `ds_hash` of ID tokens (WireContract 8.4).
    case deviceSecretHash = "ds_hash"
}
