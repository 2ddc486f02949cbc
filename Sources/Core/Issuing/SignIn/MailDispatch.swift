package import Domain
internal import OAuth

/// Sends the mails that are due (Events 8.3).
///
/// At least once, usually once: a process that dies between sending and recording sends again when
/// the lease is over. Whether a person is to get one is decided here, outside the request that
/// asked (Security I15), and a relay that does not answer holds nobody up.
package struct MailDispatch: Sendable {
    package static let mailsPerRun = 16
    /// How many mails of a node may be on their way at once, each over a connection of its own.
    package static let onTheWayMax = 8
    /// Seconds until the next attempt; after the last one the mail is given up.
    package static let backoffSeconds = [1, 5, 30, 120]
    /// A row whose event was never appended is dropped after this long.
    package static let orphanMilliseconds: Int64 = 60_000

    /// What became of a mail that was due.
    package enum Delivery: Hashable, Sendable {
        case sent
        /// Nobody is to get it any more.
        case unwanted
        /// Due again later.
        case putOff
        /// Not sent, and not tried again; the relay's reply code, 0 without one.
        case givenUp(code: Int)
    }

    let context: SignInContext
    let tokens: LoginLinkToken
    private let mailQueue: any MailQueue
    private let sender: any MailSender

    package init(_ context: SignInContext, mailQueue: any MailQueue, sender: any MailSender) {
        self.context = context
        self.mailQueue = mailQueue
        self.sender = sender
        tokens = LoginLinkToken(context.digester)
    }

    /// One pass over what is due; the number of rows it leased.
    ///
    /// - Throws: when the log did not answer; what is left is due again after its lease.
    package func run(by deadline: Deadline) async throws(StoreError) -> Int {
        let due = try await lease(upTo: Self.mailsPerRun, by: deadline)
        for mail in due { _ = try await deliver(mail, by: deadline) }
        return due.count
    }

    /// The next mails that are due, held against other senders until their leases are over; none
    /// while our clock is wrong.
    ///
    /// - Throws: when the queue did not answer.
    package func lease(upTo limit: Int, by deadline: Deadline) async throws(StoreError) -> [DueMail]
    {
        guard isTimely else { return [] }
        return try await mailQueue.lease(limit: limit, by: deadline)
    }

    /// Whether a link is dead, and a row forgotten, is for clocks that are right to say.
    private var isTimely: Bool { context.commands.clock.problem == nil }

    /// Gives mails back that are not going to be delivered here: others send them at once.
    ///
    /// - Throws: when the queue did not answer; they are due again after their leases.
    package func giveBack(_ mails: [DueMail], by deadline: Deadline) async throws(StoreError) {
        guard !mails.isEmpty else { return }
        try await mailQueue.release(mails, by: deadline)
    }

    /// Sends one leased mail, puts it off, or drops it when nobody is to get it any more.
    ///
    /// - Throws: when the log did not answer; it is due again after its lease.
    package func deliver(_ due: DueMail, by deadline: Deadline) async throws(StoreError) -> Delivery
    {
        switch due.occasion {
        case .loginLink(let link, let generation):
            try await deliver(due, link, generation, by: deadline)
        case .biometricKey(let key, let mail):
            try await deliver(due, about: key, mail, by: deadline)
        }
    }

    /// A row that nothing in the log stands behind: its append may still be on the way.
    func awaitAppend(of due: DueMail, by deadline: Deadline) async throws(StoreError) -> Delivery {
        let age = context.commands.clock.now.millisecondsSince(due.enqueuedAt)
        guard age < Self.orphanMilliseconds else { return try await drop(due, by: deadline) }
        return try await wait(due, by: deadline)
    }

    /// Somebody who knows more is to decide, or this node once it does: due again in a second.
    ///
    /// - Throws: when the queue did not answer; it is due again after its lease.
    func wait(_ due: DueMail, by deadline: Deadline) async throws(StoreError) -> Delivery {
        try await mailQueue.postpone(due, seconds: 1, afterAttempt: false, by: deadline)
        return .putOff
    }

    /// Nobody is to get it.
    func drop(_ due: DueMail, by deadline: Deadline) async throws(StoreError) -> Delivery {
        guard isTimely else { return try await leave(due, by: deadline) }
        try await mailQueue.remove(due, afterSending: false, by: deadline)
        return .unwanted
    }

    /// The clock went wrong while it was decided what is to become of it: somebody else decides.
    private func leave(_ due: DueMail, by deadline: Deadline) async throws(StoreError) -> Delivery {
        try await giveBack([due], by: deadline)
        return .putOff
    }

    /// A mail that the relay did not take.
    struct Failure {
        /// Its reply, 0 without one.
        let code: Int
        let isFinal: Bool

        init(_ error: MailError, after attempts: Int) {
            switch error {
            case .transient(let reply):
                code = reply
                isFinal = attempts >= MailDispatch.backoffSeconds.count
            case .permanent(let reply):
                code = reply
                isFinal = true
            }
        }
    }

    /// Hands a mail to the relay.
    ///
    /// `record` hears how it failed, or nil, before the row goes.
    func send(
        _ mail: Mail,
        _ due: DueMail,
        by deadline: Deadline,
        record: (Failure?) async throws(StoreError) -> Void
    ) async throws(StoreError) -> Delivery {
        // Before the relay has it: what cannot be recorded would be sent again and again.
        guard isTimely else { return try await leave(due, by: deadline) }
        let failure: Failure?
        do {
            try await sender.send(mail, by: deadline)
            failure = nil
        } catch { failure = Failure(error, after: due.attempts) }
        try await record(failure)
        guard let failure, !failure.isFinal else {
            try await mailQueue.remove(due, afterSending: failure == nil, by: deadline)
            return failure.map { .givenUp(code: $0.code) } ?? .sent
        }
        let seconds = Self.backoffSeconds[min(due.attempts, Self.backoffSeconds.count - 1)]
        try await mailQueue.postpone(due, seconds: seconds, afterAttempt: true, by: deadline)
        return .putOff
    }
}
