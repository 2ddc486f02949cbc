package import Domain
package import Issuing
internal import Runtime

/// The mail queue in memory, and a sender that keeps what it was given.
package final class InMemoryMailQueue: MailQueue, MailSender {
    private struct Contents {
        var due: [DueMail] = []
        var sent: [Mail] = []
        var failure: MailError?
    }

    private let contents = Guarded(Contents())
    private let clock: any WallClock

    package init(clock: any WallClock) { self.clock = clock }

    /// Login mails handed over, oldest first.
    package var sent: [LoginMail] {
        allSent.compactMap { if case .login(let mail) = $0 { mail } else { nil } }
    }

    /// Mails about biometric keys handed over, oldest first.
    package var sentAboutKeys: [BiometricKeyMail] {
        allSent.compactMap { if case .biometricKey(let mail) = $0 { mail } else { nil } }
    }

    private var allSent: [Mail] { contents.withLock { $0.sent } }

    package var due: [DueMail] { contents.withLock { $0.due } }

    /// The next sends fail like this; nil lets them pass.
    package func fail(_ failure: MailError?) { contents.withLock { $0.failure = failure } }

    package func enqueue(
        _ occasion: MailOccasion,
        project: ProjectNumber,
        by deadline: Deadline
    ) async throws(StoreError) {
        let mail = DueMail(
            occasion: occasion,
            project: project,
            attempts: 0,
            enqueuedAt: clock.now,
            leasedUntil: clock.now
        )
        contents.withLock { contents in
            guard !contents.due.contains(where: { $0.occasion == occasion }) else { return }
            contents.due.append(mail)
        }
    }

    package func lease(limit: Int, by deadline: Deadline) async throws(StoreError) -> [DueMail] {
        contents.withLock { Array($0.due.prefix(limit)) }
    }

    package func remove(_ mail: DueMail, afterSending: Bool, by deadline: Deadline)
        async throws(StoreError)
    {
        contents.withLock { contents in
            // Somebody else's try since then is as good as somebody else's lease.
            contents.due.removeAll { afterSending ? $0.occasion == mail.occasion : $0 == mail }
        }
    }

    /// Nothing to do: what is leased here stays in the queue, for anybody.
    package func release(_ mails: [DueMail], by deadline: Deadline) async throws(StoreError) {}

    package func postpone(
        _ mail: DueMail,
        seconds: Int,
        afterAttempt: Bool,
        by deadline: Deadline
    ) async throws(StoreError) {
        contents.withLock { contents in
            // Behind the others: what is due now comes first.
            guard let index = contents.due.firstIndex(of: mail) else { return }
            var later = contents.due.remove(at: index)
            if afterAttempt { later.attempts += 1 }
            contents.due.append(later)
        }
    }

    package func send(_ mail: Mail, by deadline: Deadline) async throws(MailError) {
        try contents.withLock { contents throws(MailError) in
            if let failure = contents.failure { throw failure }
            contents.sent.append(mail)
        }
    }
}
