package import Domain
package import Testing

/// One line of a decider as a sentence: given a history, when a command comes, then this follows.
package struct Scenario<Subject: Aggregate>: Sendable, CustomTestStringConvertible
where Subject.Event: Equatable, Subject.Rejection: Sendable {
    package let sentence: String
    package let history: [Subject.Event]
    package let command: Subject.Command
    package let outcome: Result<[Subject.Event], Subject.Rejection>

    package init(
        _ sentence: String,
        given history: [Subject.Event] = [],
        when command: Subject.Command,
        then outcome: Result<[Subject.Event], Subject.Rejection>
    ) {
        self.sentence = sentence
        self.history = history
        self.command = command
        self.outcome = outcome
    }

    package var testDescription: String { sentence }

    /// Decides, compares, and folds what was decided: nobody writes what they cannot read.
    package func check(sourceLocation: SourceLocation = #_sourceLocation) {
        guard let state = Subject.fold(history) else {
            Issue.record("the history cannot be folded", sourceLocation: sourceLocation)
            return
        }
        do {
            let events = try Subject.decide(command, in: state)
            guard case .success(let expected) = outcome else {
                Issue.record("allowed: \(events)", sourceLocation: sourceLocation)
                return
            }
            #expect(events == expected, sourceLocation: sourceLocation)
            #expect(Subject.fold(events, from: state) != nil, sourceLocation: sourceLocation)
        } catch {
            guard case .failure(let expected) = outcome else {
                Issue.record("refused: \(error)", sourceLocation: sourceLocation)
                return
            }
            #expect("\(error)" == "\(expected)", sourceLocation: sourceLocation)
        }
    }
}
