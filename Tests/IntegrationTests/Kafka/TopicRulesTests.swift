import Kafka
import Messaging
import Runtime
import TestSupport
import Testing

/// A topic that is as it should be, but for one thing.
private struct Spoilt: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let rules: TopicRules
    let problem: String
    let isRefused: Bool
    let change: @Sendable (inout TopicDescription) -> Void

    init(
        _ what: String,
        _ rules: TopicRules,
        _ problem: String,
        isRefused: Bool = true,
        _ change: @escaping @Sendable (inout TopicDescription) -> Void
    ) {
        testDescription = what
        self.rules = rules
        self.problem = problem
        self.isRefused = isRefused
        self.change = change
    }
}

private let events = TopicRules.events(isReplicated: true)
private let revocations = TopicRules.revocations(isReplicated: true)

private let spoilt = [
    Spoilt("another number of partitions", events, "has 13 partitions, not 12") {
        $0.partitions = 13
    },
    Spoilt("two copies", events, "has 2 copies of a partition, not 3") { $0.copies = 2 },
    Spoilt("one broker acknowledges", events, "min.insync.replicas is below 2") {
        $0.settings["min.insync.replicas"] = "1"
    },
    Spoilt("unclean election", revocations, "unclean.leader.election.enable is true") {
        $0.settings["unclean.leader.election.enable"] = "true"
    },
    Spoilt("events compacted", events, "events of a stream vanish") {
        $0.settings["cleanup.policy"] = "compact"
    },
    Spoilt("revocations not compacted", revocations, "is not compacted") {
        $0.settings["cleanup.policy"] = "delete"
    },
    Spoilt("revocations forgotten early", revocations, "forgets after 24 h") {
        $0.settings["retention.ms"] = "86400000"
    },
    Spoilt("revocations limited in size", revocations, "forgets what is beyond 1048576 bytes") {
        $0.settings["retention.bytes"] = "1048576"
    },
    Spoilt("events limited in size", events, "retention.bytes is 1048576", isRefused: false) {
        $0.settings["retention.bytes"] = "1048576"
    },
    Spoilt("segments of a week", revocations, "segment.ms is 604800000", isRefused: false) {
        $0.settings["segment.ms"] = "604800000"
    },
    Spoilt("events kept a week", events, "retention.ms is 604800000", isRefused: false) {
        $0.settings["retention.ms"] = "604800000"
    },
    Spoilt("events kept for ever", events, "keeps records for ever", isRefused: false) {
        $0.settings["retention.ms"] = "-1"
    },
    Spoilt("events kept a year", events, "is 31536000000, not 2592000000", isRefused: false) {
        $0.settings["retention.ms"] = "31536000000"
    },
    Spoilt("events kept an hour longer", events, "is 2595600000, not 2592000000", isRefused: false)
    { $0.settings["retention.ms"] = "2595600000" },
    Spoilt(
        "partitions without a leader",
        revocations,
        "has partitions without a leader: 3, 11",
        isRefused: false
    ) { $0.inSync = [2: 2, 3: 0, 4: 3, 11: 0] },
    Spoilt(
        "a partition with too few copies in sync",
        events,
        "has partitions below min.insync.replicas: 4",
        isRefused: false
    ) { $0.inSync = [3: 2, 4: 1] },
    Spoilt(
        "letters kept a day longer",
        .deadLetters(isReplicated: true),
        "keeps records longer",
        isRefused: false
    ) {
        $0.settings["retention.ms"] = "2678400000"
    },
]

@Suite("Topic rules", .timeLimit(.minutes(3))) struct TopicRulesTests {
    static func description(_ rules: TopicRules) -> TopicDescription {
        let made = rules.specification("t")
        return TopicDescription(
            partitions: made.partitions,
            copies: made.replicationFactor,
            settings: made.settings
        )
    }

    /// What comes out once the brokers answer, which a busy machine's may not do in time at first.
    private static func known(_ check: TopicCheck) async -> TopicCheck.Outcome {
        let limit = MonotonicInstant.soon
        while true {
            let outcome = await check.outcome()
            guard case .unknown = outcome, MonotonicInstant.now() < limit else { return outcome }
        }
    }

    @Test("a topic as we make it is right", arguments: [true, false])
    func right(_ isReplicated: Bool) {
        for rules in [
            TopicRules.events(isReplicated: isReplicated),
            .revocations(isReplicated: isReplicated), .deadLetters(isReplicated: isReplicated),
        ] { #expect(rules.problems(with: Self.description(rules)).isEmpty) }
    }

    @Test("one thing that is wrong is named, with what to do", arguments: spoilt)
    private func wrong(_ topic: Spoilt) throws {
        var description = Self.description(topic.rules)
        topic.change(&description)
        let problems = topic.rules.problems(with: description)
        #expect(problems.count == 1)
        let problem = try #require(problems.first)
        #expect(problem.sentence.contains(topic.problem), "\(problem.sentence)")
        #expect(problem.isRefused == topic.isRefused)
        #expect(!problem.remedy.isEmpty)
    }

    @Test("one broker is enough for who says so") func singleNode() {
        let rules = TopicRules.revocations(isReplicated: false)
        var description = Self.description(rules)
        #expect(rules.problems(with: description).isEmpty)
        description.inSync = [0: 1]
        #expect(rules.problems(with: description).isEmpty)
    }

    @Test("what the projector takes out again may stay for ever") func longRevocations() {
        var description = Self.description(revocations)
        description.settings["retention.ms"] = "-1"
        #expect(revocations.problems(with: description).isEmpty)
    }

    @Test("what nobody writes or reads holds up nobody") func unused() {
        let rules = TopicRules.deadLetters(isReplicated: true)
        var description = Self.description(rules)
        for count: Int32 in [0, 1] {
            description.inSync = [0: count]
            #expect(rules.problems(with: description).isEmpty)
        }
    }

    @Test(
        "the brokers tell what a topic is like, and a process refuses what could lose records",
        .needsKafka
    )
    func described() async throws {
        let bench = try await KafkaBench(.real, topic: "rules")
        try await bench.run { bench in
            let administration = try Administration(bench.settings, on: bench.blocking)
            let rules = TopicRules.revocations(isReplicated: false)
            let name = "\(bench.topic).revocations"
            try await administration.create(rules.specification(name))
            try await administration.wait(for: name)
            let description = try await administration.describe(name)
            #expect(description.copies == 1)
            #expect(description.inSync.keys.sorted() == Array(0..<TopicRules.partitions))
            #expect(description.inSync.values.allSatisfy { $0 == 1 })
            #expect(rules.problems(with: description).isEmpty)
            #expect(description.settings["cleanup.policy"] == "compact,delete")

            func outcome(_ topic: String, _ rules: TopicRules) async -> TopicCheck.Outcome {
                await Self.known(
                    TopicCheck(bench.settings, [(topic, rules)], on: bench.blocking)
                )
            }
            #expect(await outcome(name, rules) == .right)
            guard case .refused(let why) = await outcome(bench.topic, rules) else {
                Issue.record("a topic that is not compacted was taken")
                return
            }
            #expect(why.contains("is not compacted"))
        }
    }

    @Test("a topic that is missing is said by name, and hides none that is wrong", .needsKafka)
    func missing() async throws {
        let bench = try await KafkaBench(.real, topic: "rules")
        try await bench.run { bench in
            let revocations = TopicRules.revocations(isReplicated: false)
            let lacking = [("\(bench.topic).none", revocations)]
            try await Waiting.until("it is found missing") {
                let check = TopicCheck(bench.settings, lacking, on: bench.blocking)
                switch await check.outcome() {
                case .unknown(let why): return why.contains("missing: \(bench.topic).none")
                case .right, .refused: throw Unexpected()
                }
            }
            let both = lacking + [(bench.topic, revocations)]
            let check = TopicCheck(bench.settings, both, on: bench.blocking)
            guard case .refused(let why) = await Self.known(check) else { throw Unexpected() }
            #expect(why.contains("is not compacted"))
        }
    }

    private struct Unexpected: Error {}

    @Test("a development broker is refused, and brokers that are away are not")
    func elsewhere() async throws {
        let bench = try await KafkaBench(.development, topic: "rules")
        try await bench.run { bench in
            let check = TopicCheck(bench.settings, [(bench.topic, events)], on: bench.blocking)
            guard case .refused = await Self.known(check) else {
                Issue.record("a development broker was taken")
                return
            }
            bench.broker.kill()
            guard case .unknown = await check.outcome() else {
                Issue.record("brokers that are away ended it")
                return
            }
        }
    }
}
