package import Domain
internal import OAuth

/// How far a login is, as the waiting page shows it (WireContract 7.1).
package enum LoginStatus: String, Hashable, Sendable, CaseIterable {
    case pending, approved, denied, expired, canceled, completed

    /// From the request and its newest link.
    package init(_ authorization: Authorization.State, _ link: LoginLink.State, at now: Instant) {
        switch authorization {
        case .completed: self = .completed
        case .failed:
            // Who refuses has ended the request with its link; a cancel supersedes the link.
            if case .denied = link { self = .denied } else { self = .canceled }
        case .absent, .pushed: self = .expired
        // After the login the request waits for a consent.
        case .authenticated: self = .completed
        case .started(let started) where now >= started.request.expiresAt: self = .expired
        case .started: self.init(link, at: now)
        }
    }

    private init(_ link: LoginLink.State, at now: Instant) {
        switch link {
        case .absent: self = .pending
        case .requested(let request), .superseded(let request):
            self = now < request.expiresAt ? .pending : .expired
        case .approved(let request): self = now < request.expiresAt ? .approved : .expired
        case .consumed: self = .completed
        case .denied: self = .denied
        }
    }
}

extension LoginLink.State {
    /// What waits for an approval, as far as who waits is told: what another login has ended looks
    /// to them as before (decision 0200).
    var awaited: LoginLink.Request? {
        switch self {
        case .requested(let request), .superseded(let request): request
        case .absent, .approved, .consumed, .denied: nil
        }
    }
}
