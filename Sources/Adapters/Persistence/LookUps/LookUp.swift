internal import Domain
internal import Issuing
internal import Runtime

/// A question about streams that many may ask in one query.
protocol LookUp: Sendable {
    associatedtype Answer: Sendable

    /// At most `LookUps.streamsPerQueryMax`.
    var streams: [StreamID] { get }
}

// @unchecked: touched on its loop alone.
/// Who waits for the answer to one look-up.
final class Waiter<Question: LookUp>: @unchecked Sendable {
    typealias Outcome = Result<Question.Answer, StoreError>

    let question: Question
    let deadline: Deadline
    private var waiting: Resumption<Outcome>?

    init(_ question: Question, by deadline: Deadline, _ waiting: Resumption<Outcome>) {
        self.question = question
        self.deadline = deadline
        self.waiting = waiting
    }

    var isAnswered: Bool { waiting == nil }

    /// Only the first one is heard.
    func answer(_ outcome: Outcome) {
        waiting?.resume(returning: outcome)
        waiting = nil
    }
}
