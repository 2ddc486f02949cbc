import Domain
import InMemory
import Issuing
import Runtime
import TestSupport

/// A queue in which something else happens once, as the first mail comes in.
struct InterruptedMailQueue: MailQueue {
    private let mailQueue: InMemoryMailQueue
    private let isBefore: Bool
    private let interruption: @Sendable () async throws -> Void
    let interrupted = Guarded(false)

    /// `isBefore`: it happens before that mail is in the queue, else after.
    init(
        _ mailQueue: InMemoryMailQueue,
        isBefore: Bool = false,
        _ interruption: @escaping @Sendable () async throws -> Void
    ) {
        self.mailQueue = mailQueue
        self.isBefore = isBefore
        self.interruption = interruption
    }

    func enqueue(_ occasion: MailOccasion, project: ProjectNumber, by deadline: Deadline)
        async throws(StoreError)
    {
        let isFirst = !interrupted.replace(with: true)
        if isFirst && isBefore { try await interrupt() }
        try await mailQueue.enqueue(occasion, project: project, by: deadline)
        if isFirst && !isBefore { try await interrupt() }
    }

    private func interrupt() async throws(StoreError) {
        do { try await interruption() } catch { throw .unavailable }
    }

    func lease(limit: Int, by deadline: Deadline) async throws(StoreError) -> [DueMail] {
        try await mailQueue.lease(limit: limit, by: deadline)
    }

    func remove(_ mail: DueMail, afterSending: Bool, by deadline: Deadline)
        async throws(StoreError)
    {
        try await mailQueue.remove(mail, afterSending: afterSending, by: deadline)
    }

    func release(_ mails: [DueMail], by deadline: Deadline) async throws(StoreError) {}

    func postpone(
        _ mail: DueMail,
        seconds: Int,
        afterAttempt: Bool,
        by deadline: Deadline
    ) async throws(StoreError) {
        try await mailQueue.postpone(
            mail,
            seconds: seconds,
            afterAttempt: afterAttempt,
            by: deadline
        )
    }
}

extension SignInSide {
    /// Sends as often as somebody asks.
    func unlimitedLinks(_ mailQueue: any MailQueue) -> RequestLoginLink {
        links(limits: MailLimits(["address_per_minute": 0]), mailQueue: mailQueue)
    }
}
