package import Domain

/// Hands one mail to the mail relay.
package protocol MailSender: Sendable {
    func send(_ mail: Mail, by deadline: Deadline) async throws(MailError)
}
