/// A key that a phone uses only after its user's finger or face (Events 8.8).
///
/// One stream per `kid`, and one per key material, so that neither ever belongs to two users.
package enum BiometricKey {
    package enum State: Hashable, Sendable {
        case absent
        case enabled(Shared<Registration>)
        /// Final: a `kid` is never used again.
        case disabled(Shared<Registration>)
        /// The stream of a key's material: whose `kid` it is under.
        case claimed(kid: String)
    }

    package struct Registration: Hashable, Sendable {
        package var subject: SubjectID
        package var client: ClientID
        package var kid: String
        package var key: DeviceKey
        /// `alg` of its signatures.
        package var algorithm: String
        /// The phone's name, under its subject's key.
        package var device: Sealed?
        /// The mail that tells its user of it; nil for a key from before there were such mails.
        package var mail: StreamID?
        /// How the login was approved that set it up, as whose its own count (decision 0240).
        package var approval: LoginLink.Approval?
        package var enabledAt: Instant
        package var lastUsedAt: Instant?
        /// The session it opened last; its next login supersedes it.
        package var session: SessionID?
        /// When signatures were wrong, oldest first, at most `failuresMax`.
        package var failures: [Instant]

        package init(
            subject: SubjectID,
            client: ClientID,
            kid: String,
            key: DeviceKey,
            algorithm: String,
            device: Sealed? = nil,
            mail: StreamID? = nil,
            approval: LoginLink.Approval? = nil,
            enabledAt: Instant
        ) {
            self.subject = subject
            self.client = client
            self.kid = kid
            self.key = key
            self.algorithm = algorithm
            self.device = device
            self.mail = mail
            self.approval = approval
            self.enabledAt = enabledAt
            lastUsedAt = nil
            session = nil
            failures = []
        }
    }

    package enum Action: String, Hashable, Sendable, CaseIterable {
        case authenticate
        case authenticateApp2App = "authenticate_app2app"
    }

    package enum DisableReason: String, Hashable, Sendable, CaseIterable {
        case user, `operator`, erasure
        /// The code of the session that set it up came again (decision 0188).
        case codeReplay = "code_replay"
    }

    package enum Command: Sendable {
        case enable(Registration)
        /// On the stream of the material.
        case claim(kid: String)
        case use(Action, by: ClientID, session: SessionID, at: Instant)
        /// A wrong signature over a challenge of ours (limit L8).
        case recordFailure(at: Instant)
        case disable(DisableReason)
    }

    package enum Event: Hashable, Sendable {
        case enabled(Registration)
        case used(Action, session: SessionID, at: Instant)
        /// `count`: wrong signatures within the window, this one included.
        case verificationFailed(count: Int64, at: Instant)
        case disabled(DisableReason)
        case materialClaimed(kid: String)
    }

    package enum Rejection: Error {
        case taken, unknown, otherClient, disabled
        /// Too many wrong signatures; until then.
        case paused(until: Instant)
    }

    /// So many wrong signatures in `windowSeconds` pause a key as long (Security 9, L8).
    package static let failuresMax = 10
    package static let windowSeconds: Int64 = 900
}
