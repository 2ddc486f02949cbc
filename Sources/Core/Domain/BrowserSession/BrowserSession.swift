/// The session of a browser's cookie (Events 8.5); never reopened.
package enum BrowserSession {
    package enum State: Hashable, Sendable {
        case absent
        case open(Shared<Session>)
        case ended(Shared<Session>, EndReason)
    }

    package struct Session: Hashable, Sendable {
        package var subject: SubjectID
        package var authentication: Authentication
        /// Digest of the secret in `__Host-chancery_session`.
        package var cookie: TokenDigest
        package var parent: Parent
        package var openedAt: Instant
        package var lastSeenAt: Instant
        package var expiresAt: Instant
        package var idleMilliseconds: Int64
        /// The grants that were opened from it, for logout; at most 256 are kept.
        package var joined: [Joined]

        package init(
            subject: SubjectID,
            authentication: Authentication,
            cookie: TokenDigest,
            parent: Parent,
            openedAt: Instant,
            expiresAt: Instant,
            idleMilliseconds: Int64
        ) {
            self.subject = subject
            self.authentication = authentication
            self.cookie = cookie
            self.parent = parent
            self.openedAt = openedAt
            self.lastSeenAt = openedAt
            self.expiresAt = expiresAt
            self.idleMilliseconds = idleMilliseconds
            self.joined = []
        }
    }

    package struct Joined: Hashable, Sendable {
        package var client: ClientID
        package var grant: SessionID

        package init(client: ClientID, grant: SessionID) {
            self.client = client
            self.grant = grant
        }
    }

    package enum RotationReason: String, Hashable, Sendable, CaseIterable { case privilege }

    package enum EndReason: String, Hashable, Sendable, CaseIterable {
        case logout, revoked, idle
        case subjectDisabled = "subject_disabled"
        case erasure, superseded
    }

    package enum Command: Sendable {
        case open(Session)
        case reauthenticate(
            Authentication,
            subject: SubjectID,
            cookie: TokenDigest,
            at: Instant
        )
        /// Recorded at most every idle/20 and at least an hour apart; sooner it is `[]`.
        ///
        /// Of an idle time under two hours, half of it: an hour's pause would end it in use.
        case see(at: Instant)
        case join(Joined)
        case end(EndReason)
    }

    package enum Event: Hashable, Sendable {
        case opened(Session)
        case cookieRotated(TokenDigest, RotationReason)
        case reauthenticated(Authentication, cookie: TokenDigest, at: Instant)
        case seen(at: Instant)
        case clientJoined(Joined)
        case ended(EndReason)
    }

    /// Grants kept per session; of more, the newest.
    package static let joinedMax = 256

    package enum Rejection: Error { case alreadyOpen, unknown, otherSubject, expired, ended }
}
