package import Domain
package import OAuth

extension OAuthError {
    /// Unknown request, or another browser's: nobody can tell them apart.
    package static var unknownRequest: Self {
        Self(.notFound, "this sign-in is not known here", refusal: "SI-001")
    }

    /// Unknown or disabled; a page, so not the 401 of a client that must prove itself.
    package static var unknownClient: Self {
        Self(.invalidClient, "the client is not known", refusal: "AZ-002", status: 400)
    }

    /// The request is over, or too old to go on.
    package static func endedRequest(_ cause: String) -> Self {
        Self(.invalidRequest, "this sign-in is over", cause: cause, refusal: "SI-002")
    }

    /// Whether it is that refusal.
    var isEndedRequest: Bool { refusal.map { "\($0)" } == "SI-002" }

    /// Not posted from a page of ours.
    package static var foreignForm: Self {
        Self(.accessDenied, "the form did not come from here", refusal: "SI-003", status: 403)
    }

    /// Whether it is that refusal: of a page of ours, too, where somebody has logged in since.
    package var isForeignForm: Bool { refusal.map { "\($0)" } == "SI-003" }

    package static var expiredForm: Self {
        Self(.invalidRequest, "this page is too old", refusal: "SI-004")
    }

    /// Whether it is that refusal.
    package var isExpiredForm: Bool { refusal.map { "\($0)" } == "SI-004" }

    /// Unknown, expired, used, superseded or foreign: one answer.
    package static func deadLink(_ cause: String) -> Self {
        Self(.invalidRequest, "this link is no longer valid", cause: cause, refusal: "SI-005")
    }

    /// `deny`: only the device that asked may approve.
    package static var otherDevice: Self {
        Self(
            .accessDenied,
            "open the link on the device that asked",
            refusal: "SI-006",
            status: 403
        )
    }

    /// The browser waits for a mail of its own, and this is another one.
    static var otherMail: Self {
        Self(
            .accessDenied,
            "this is not the mail that this browser has asked for",
            refusal: "SI-011",
            status: 403
        )
    }

    /// Of this network, client or project; until its window ends.
    package static func tooManyMails(at now: Instant) -> Self {
        let window = MailBudget.causeWindowSeconds
        return Self(
            .rateLimited,
            "too many e-mails were asked for",
            refusal: "SI-007",
            retryAfterSeconds: Int(window - now.seconds % window)
        )
    }

    /// The user pressed cancel or refused.
    package static var userRefused: Self { Self(.accessDenied, "the user refused") }

    /// Nothing counts as a login, or it is of another subject.
    package static func loginRequired(_ cause: String) -> Self {
        Self(.loginRequired, "the user must log in", cause: cause)
    }

    package static var consentRequired: Self {
        Self(.consentRequired, "the user must consent")
    }

    /// The configuration has changed since the request was checked.
    static var withdrawnScope: Self {
        Self(.invalidScope, "the scope is no longer allowed to the client")
    }

    /// Nothing was used up: the app may try again, the user may sign in.
    static func foreignBrowser(_ cause: String) -> Self {
        Self(
            .interactionRequired,
            "this browser must ask its user",
            cause: cause,
            refusal: "PU-004"
        )
    }

    /// A logout that contradicts itself, or names what is not the client's (WireContract 9.4).
    static func badLogout(_ cause: String) -> Self {
        Self(
            .invalidRequest,
            "the logout request is not valid",
            cause: cause,
            refusal: "ES-001"
        )
    }
}
