package import Domain

/// Hands one login mail to the mail relay.
package protocol MailSender: Sendable {
    func send(_ mail: LoginMail, by deadline: Deadline) async throws(MailError)
}
