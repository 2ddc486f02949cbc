package import Domain

/// The queue of mails due (Events 8.3); it holds no address and no secret.
package protocol MailQueue: Sendable {
    /// Committed before the append that makes the mail due; a row without stream dies after 60 s.
    ///
    /// The same mail again changes nothing.
    func enqueue(_ occasion: MailOccasion, project: ProjectNumber, by deadline: Deadline)
        async throws(StoreError)

    /// Leases up to `limit` due rows for 30 s.
    func lease(limit: Int, by deadline: Deadline) async throws(StoreError) -> [DueMail]

    /// The row is done: sent, given up, or no longer wanted.
    ///
    /// What was sent goes whoever has it by now, so that it is not sent once more. Otherwise this
    /// changes nothing where the lease was given back, or is another sender's by now.
    func remove(_ mail: DueMail, afterSending: Bool, by deadline: Deadline)
        async throws(StoreError)

    /// Gives leases back before they are over: due for anybody at once, not an attempt more.
    func release(_ mails: [DueMail], by deadline: Deadline) async throws(StoreError)

    /// Due again after `seconds`; an attempt more when one was made.
    ///
    /// Changes nothing where the lease was given back, or is another sender's by now.
    func postpone(
        _ mail: DueMail,
        seconds: Int,
        afterAttempt: Bool,
        by deadline: Deadline
    ) async throws(StoreError)
}
