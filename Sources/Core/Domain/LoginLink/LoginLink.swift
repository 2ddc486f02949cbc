/// One login link: one request, one address, approved at most once (Events 8.3).
package enum LoginLink {
    package enum State: Hashable, Sendable {
        case absent
        case requested(Request)
        case approved(Request)
        case consumed(Request)
        case denied(Request, DenyReason)
        case superseded(Request)
    }

    /// Who may approve from another device (`x_login_link_cross_device_approval`,
    /// WireContract 7.3).
    package enum Mode: String, Hashable, Sendable, CaseIterable {
        case automatic, confirm, deny
    }

    package struct Request: Hashable, Sendable {
        package var authorization: StreamID
        package var client: ClientID
        /// The address; the seal's key is the subject's, or the link's own before there is one.
        package var email: Sealed
        /// What asked, "Safari on iOS": shown before an approval (Security I14); the same key.
        package var device: Sealed?
        /// Where it asked from, as a trusted proxy said: shown beside the device; the same key.
        package var place: Sealed?
        /// The subject that had the address when the link was requested.
        package var subject: SubjectID?
        /// Digest of the transaction cookie: who may wait for and complete this login.
        package var initiator: TokenDigest
        package var mode: Mode
        /// 0–99, picked on the approving device in `confirm`.
        package var number: Int
        /// 1, 2, 3 …: only the newest generation's token is alive.
        package var generation: Int32
        package var requestedAt: Instant
        package var expiresAt: Instant
        /// When the newest generation was asked for; nil of the first, which was with the link.
        package internal(set) var resentAt: Instant?
        /// Whether the newest generation's mail went out.
        package internal(set) var isMailed = false
        /// How it was approved; nil before.
        package internal(set) var approval: Approval?
        /// Whether an app approved it by its key alone.
        package internal(set) var isByKey = false

        /// False once an app approved by its key alone what another device may not approve so
        /// easily: the code is for that key, the browser stays a stranger (decision 0108).
        package var opensBrowserSession: Bool { !isByKey || mode == .automatic }

        package init(
            authorization: StreamID,
            client: ClientID,
            email: Sealed,
            device: Sealed? = nil,
            place: Sealed? = nil,
            subject: SubjectID?,
            initiator: TokenDigest,
            mode: Mode,
            number: Int,
            generation: Int32 = 1,
            requestedAt: Instant,
            expiresAt: Instant
        ) {
            self.authorization = authorization
            self.client = client
            self.email = email
            self.device = device
            self.place = place
            self.subject = subject
            self.initiator = initiator
            self.mode = mode
            self.number = number
            self.generation = generation
            self.requestedAt = requestedAt
            self.expiresAt = expiresAt
        }
    }

    package enum Approver: String, Hashable, Sendable, CaseIterable { case native, browser }

    package enum DenyReason: String, Hashable, Sendable, CaseIterable {
        case user
        case numberMismatch = "number_mismatch"
        case crossDevice = "cross_device"
    }

    package enum Command: Sendable {
        case request(Request)
        case recordMailSent(generation: Int32, attempt: Int)
        case recordMailFailed(generation: Int32, attempt: Int, code: Int, final: Bool)
        case approve(
            by: Approver,
            sameDevice: Bool,
            generation: Int32,
            number: Int?,
            at: Instant
        )
        /// By the holder of the newest generation's token; an older one ends nothing.
        case deny(DenyReason, generation: Int32, at: Instant)
        /// Ends an open link; one that is decided stays as it is.
        case supersede(by: StreamID)
        case consume(initiator: TokenDigest, at: Instant)
    }

    package enum Event: Hashable, Sendable {
        case requested(Request)
        /// Decided no more: a mail that is sent again has a link of its own (decision 0200).
        case resent(generation: Int32, at: Instant)
        case mailSent(generation: Int32, attempt: Int)
        case mailFailed(generation: Int32, attempt: Int, code: Int, final: Bool)
        case approved(by: Approver, sameDevice: Bool, generation: Int32)
        case denied(DenyReason)
        case superseded(by: StreamID)
        case consumed(authorization: StreamID)
    }

    package enum Rejection: Error {
        case alreadyRequested, unknown, otherInitiator, expired, ended, oldGeneration
        /// Nothing approved yet.
        case pending
        /// `deny`, and the approving device is not the requesting one.
        case crossDevice
        /// `confirm`, another device, and no number was picked yet: show three numbers.
        case numberRequired
    }
}
