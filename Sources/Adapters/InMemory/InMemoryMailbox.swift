package import Domain
package import Issuing
internal import Runtime

/// The mail queue in memory, and a sender that keeps what it was given.
package final class InMemoryMailbox: Mailbox, MailSender {
    private struct Contents {
        var due: [DueMail] = []
        var sent: [LoginMail] = []
        var failure: MailError?
    }

    private let contents = Guarded(Contents())
    private let clock: any WallClock

    package init(clock: any WallClock) { self.clock = clock }

    /// Mails handed over, oldest first.
    package var sent: [LoginMail] { contents.withLock { $0.sent } }

    package var due: [DueMail] { contents.withLock { $0.due } }

    /// The next sends fail like this; nil lets them pass.
    package func fail(_ failure: MailError?) { contents.withLock { $0.failure = failure } }

    package func enqueue(
        _ link: StreamID,
        generation: Int32,
        project: ProjectNumber,
        by deadline: Deadline
    ) async throws(StoreError) {
        let mail = DueMail(
            link: link,
            generation: generation,
            project: project,
            attempts: 0,
            enqueuedAt: clock.now,
            leasedUntil: clock.now
        )
        contents.withLock { $0.due.append(mail) }
    }

    package func lease(limit: Int, by deadline: Deadline) async throws(StoreError) -> [DueMail] {
        contents.withLock { Array($0.due.prefix(limit)) }
    }

    package func remove(_ mail: DueMail, by deadline: Deadline) async throws(StoreError) {
        contents.withLock { contents in
            contents.due.removeAll {
                $0.link == mail.link && $0.generation == mail.generation
            }
        }
    }

    /// Nothing to do: what is leased here stays in the queue, for anybody.
    package func release(_ mails: [DueMail], by deadline: Deadline) async throws(StoreError) {}

    package func postpone(_ mail: DueMail, seconds: Int, by deadline: Deadline)
        async throws(StoreError)
    {
        contents.withLock { contents in
            for index in contents.due.indices where contents.due[index] == mail {
                contents.due[index].attempts += 1
            }
        }
    }

    package func send(_ mail: LoginMail, by deadline: Deadline) async throws(MailError) {
        try contents.withLock { contents throws(MailError) in
            if let failure = contents.failure { throw failure }
            contents.sent.append(mail)
        }
    }
}
