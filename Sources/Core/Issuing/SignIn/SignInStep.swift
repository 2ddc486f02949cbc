package import Domain

/// Where a browser goes next.
package enum SignInStep: Sendable {
    case login(StreamID)
    case waiting(StreamID)
    case selectAccount(StreamID)
    case consent(StreamID)
    /// Back to the client.
    case respond(AuthorizationResponse)
}
