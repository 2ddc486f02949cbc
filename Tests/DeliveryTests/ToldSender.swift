import Domain
import Issuing
import Runtime

/// A relay that takes every mail, or does as it is told with those to a name.
final class ToldSender: MailSender {
    typealias Answer = @Sendable () async throws(MailError) -> Void

    private struct State {
        var handed: [String] = []
        var answers: [String: Answer] = [:]
    }

    private let state = Guarded(State())

    /// Whom mails were for that came to it, in order.
    var handed: [String] { state.withLock { $0.handed } }

    func answers(_ name: String, _ answer: @escaping Answer) {
        state.withLock { $0.answers[name] = answer }
    }

    func send(_ mail: Mail, by deadline: Deadline) async throws(MailError) {
        let name = String(decoding: mail.to.bytes.prefix { $0 != UInt8(ascii: "@") }, as: UTF8.self)
        let answer = state.withLock { state in
            state.handed.append(name)
            return state.answers[name]
        }
        try await answer?()
    }
}
