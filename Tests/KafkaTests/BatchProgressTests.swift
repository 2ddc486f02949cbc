import Kafka
import Testing

@Suite("A batch") struct BatchProgressTests {
    enum Step: Sendable { case took, report, fail, refuse }

    struct Scenario: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var steps: [Step]
        var isSettled: Bool
        var error: KafkaError?

        init(_ name: String, _ steps: [Step], settled: Bool, error: KafkaError? = nil) {
            testDescription = name
            self.steps = steps
            isSettled = settled
            self.error = error
        }
    }

    static let away = KafkaError.unavailable(KafkaCode(number: -195))
    static let tooLarge = KafkaError.refused(KafkaCode(number: 10))

    @Test(arguments: [
        Scenario("waits while a record was not given", [.took, .report], settled: false),
        Scenario("waits while a report is due", [.took, .took, .report], settled: false),
        Scenario("settles with the last report", [.took, .took, .report, .report], settled: true),
        Scenario(
            "settles with reports that come early",
            [.took, .report, .took, .report],
            settled: true
        ),
        Scenario(
            "waits for the other reports after a failure",
            [.took, .took, .fail],
            settled: false
        ),
        Scenario(
            "fails when one record failed",
            [.took, .took, .fail, .report],
            settled: true,
            error: away
        ),
        Scenario("gives nothing after a refusal", [.refuse], settled: true, error: tooLarge),
        Scenario(
            "waits for what was given before a refusal",
            [.took, .refuse],
            settled: false
        ),
        Scenario(
            "keeps the first error",
            [.took, .refuse, .fail],
            settled: true,
            error: tooLarge
        ),
    ])
    func settles(_ scenario: Scenario) {
        var batch = BatchProgress(count: 2)
        for step in scenario.steps {
            switch step {
            case .took: batch.took()
            case .report: batch.report(nil)
            case .fail: batch.report(Self.away)
            case .refuse: batch.failed(Self.tooLarge)
            }
        }
        #expect((batch.outcome != nil) == scenario.isSettled)
        var error: KafkaError?
        if case .failure(let failure) = batch.outcome { error = failure }
        #expect(error == scenario.error)
    }

    @Test("of nothing is settled at once") func empty() throws {
        #expect(BatchProgress(count: 0).outcome != nil)
    }

    @Test("names its records in order, and none after a failure") func order() {
        var batch = BatchProgress(count: 3)
        #expect(batch.next == 0)
        batch.took()
        #expect(batch.next == 1)
        batch.failed(Self.away)
        #expect(batch.next == nil)
    }
}
