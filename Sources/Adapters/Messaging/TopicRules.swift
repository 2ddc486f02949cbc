internal import Domain
package import Kafka

/// What a topic of ours has to be like (Events 10.1, Security 10.8).
package struct TopicRules: Sendable {
    /// What is wrong with a topic.
    package struct Problem: Hashable, Sendable {
        /// What is wrong, without the topic's name.
        package var sentence: String
        /// What to do about it.
        package var remedy: String
        /// Whether a process must not work with such a topic.
        package var isRefused: Bool
    }

    private static let day: Int64 = 86_400_000
    /// Keys would move if it changed.
    package static let partitions: Int32 = 12

    private let count: Int32
    private let isReplicated: Bool
    /// Settings as a topic is made with, by their Kafka names.
    package let settings: [String: String]
    /// Records must be there for so long, in ms, or somebody accepts what is revoked.
    private let retentionMin: Int64?
    private let isCompacted: Bool
    /// Whether a process of ours writes or reads it.
    private let isUsed: Bool

    private init(
        _ count: Int32,
        isReplicated: Bool,
        settings: [String: String],
        retentionMin: Int64? = nil,
        isCompacted: Bool = false,
        isUsed: Bool = true
    ) {
        self.count = count
        self.isReplicated = isReplicated
        self.retentionMin = retentionMin
        self.isCompacted = isCompacted
        self.isUsed = isUsed
        let common = [
            "min.insync.replicas": isReplicated ? "2" : "1",
            "unclean.leader.election.enable": "false",
            // A broker's own limit would forget records before their time.
            "retention.bytes": "-1",
        ]
        self.settings = common.merging(settings) { $1 }
    }

    /// `chancery.events`; what is missed there comes from PostgreSQL.
    package static func events(isReplicated: Bool) -> Self {
        Self(
            partitions,
            isReplicated: isReplicated,
            settings: ["cleanup.policy": "delete", "retention.ms": "\(30 * day)"]
        )
    }

    /// `chancery.events.dlq`, which waits for the audit trail.
    package static func deadLetters(isReplicated: Bool) -> Self {
        Self(
            1,
            isReplicated: isReplicated,
            settings: ["cleanup.policy": "delete", "retention.ms": "\(30 * day)"],
            isUsed: false
        )
    }

    /// `chancery.revocations`: kept as long as any access token lives and a day, at least a week.
    package static func revocations(isReplicated: Bool) -> Self {
        let needed = OfflineGrant.accessTokenSecondsMax * 1000 + day
        return Self(
            partitions,
            isReplicated: isReplicated,
            settings: [
                "cleanup.policy": "compact,delete",
                "retention.ms": "\(max(7 * day, needed))",
                "min.cleanable.dirty.ratio": "0.1", "segment.ms": "3600000",
                "max.compaction.lag.ms": "3600000", "delete.retention.ms": "\(day)",
            ],
            retentionMin: needed,
            isCompacted: true
        )
    }

    /// A topic to be made.
    package func specification(_ name: String) -> TopicSpecification {
        TopicSpecification(
            name: name,
            partitions: count,
            replicationFactor: isReplicated ? 3 : 1,
            settings: settings
        )
    }

    /// What is wrong with the topic as it is.
    package func problems(with topic: TopicDescription) -> [Problem] {
        var problems: [Problem] = []
        func refuse(_ isWrong: Bool, _ sentence: String, _ remedy: String) {
            guard isWrong else { return }
            problems.append(Problem(sentence: sentence, remedy: remedy, isRefused: true))
        }
        refuse(
            topic.partitions != count,
            "has \(topic.partitions) partitions, not \(count)",
            "The number never changes: make a new topic and cut over to it."
        )
        if isReplicated {
            refuse(
                topic.copies < 3,
                "has \(topic.copies) copies of a partition, not 3",
                "Reassign its partitions to three brokers, or say kafka.topology: single-node."
            )
            refuse(
                (number("min.insync.replicas", of: topic) ?? 1) < 2,
                "acknowledges what only one broker has: min.insync.replicas is below 2",
                "Set min.insync.replicas=2, or say kafka.topology: single-node."
            )
            refuse(
                topic.settings["unclean.leader.election.enable"] == "true",
                "may lose records: unclean.leader.election.enable is true",
                "Set unclean.leader.election.enable=false, or say kafka.topology: single-node."
            )
        }
        let policy = topic.settings["cleanup.policy"] ?? ""
        let isCompacting = policy.split(separator: ",").contains { $0 == "compact" }
        refuse(
            isCompacted && !isCompacting,
            "is not compacted: cleanup.policy is \(policy.isEmpty ? "unknown" : policy)",
            "Set cleanup.policy=compact,delete: the last record of a key must stay."
        )
        refuse(
            !isCompacted && isCompacting,
            "is compacted, so events of a stream vanish",
            "Set cleanup.policy=delete."
        )
        if let retentionMin, let kept = number("retention.ms", of: topic), kept >= 0 {
            refuse(
                kept < retentionMin,
                "forgets after \(kept / 3_600_000) h, while tokens are still accepted",
                "Set retention.ms=\(settings["retention.ms"] ?? "")."
            )
        }
        if let kept = topic.settings["retention.bytes"], retentionMin != nil {
            refuse(
                kept != "-1",
                "forgets what is beyond \(kept) bytes, while tokens are still accepted",
                "Set retention.bytes=-1."
            )
        }
        return problems + stuck(of: topic) + advice(for: topic)
    }

    /// What holds up the whole topic and only the brokers can mend: a process waits (decision
    /// 0236).
    private func stuck(of topic: TopicDescription) -> [Problem] {
        guard isUsed else { return [] }
        let least = number("min.insync.replicas", of: topic) ?? 1
        func problem(_ what: String, _ isMeant: (Int32) -> Bool) -> Problem? {
            let found = topic.inSync.filter { isMeant($0.value) }.keys.sorted()
            guard !found.isEmpty else { return nil }
            let names = found.map { "\($0)" }.joined(separator: ", ")
            return Problem(
                sentence: "has partitions \(what): \(names)",
                remedy: "Bring back the brokers that have copies of them: until then nobody is "
                    + "told anything by this topic.",
                isRefused: false
            )
        }
        let problems = [
            problem("without a leader") { $0 == 0 },
            problem("below min.insync.replicas") { $0 > 0 && Int64($0) < least },
        ]
        return problems.compactMap(\.self)
    }

    /// What differs from what we would make, and harms nobody.
    private func advice(for topic: TopicDescription) -> [Problem] {
        let important = [
            "min.insync.replicas", "unclean.leader.election.enable", "cleanup.policy",
        ]
        return settings.sorted { $0.key < $1.key }.compactMap { name, wanted in
            guard !important.contains(name), let found = topic.settings[name], found != wanted
            else { return nil }
            // That has been refused.
            if name == "retention.bytes", retentionMin != nil { return nil }
            if name == "retention.ms", let kept = Int64(found), let least = Int64(wanted) {
                // What is too short has been told.
                if let retentionMin, 0..<retentionMin ~= kept { return nil }
                if kept < 0 || kept >= least { return longer(kept, than: least) }
            }
            return Problem(
                sentence: "\(name) is \(found)",
                remedy: "Better: \(name)=\(wanted).",
                isRefused: false
            )
        }
    }

    /// -1 is for ever.
    ///
    /// What nobody takes out of a topic leaves it with time alone. Of revocations the projector
    /// does, so there longer is as good.
    private func longer(_ kept: Int64, than wanted: Int64) -> Problem? {
        guard !isCompacted, kept != wanted else { return nil }
        let time = kept < 0 ? "for ever" : "longer"
        return Problem(
            sentence: "keeps records \(time), those of users who were erased, too: "
                + "retention.ms is \(kept), not \(wanted)",
            remedy: "Set retention.ms=\(wanted), or count on it that their ids and times stay "
                + "there as long.",
            isRefused: false
        )
    }

    private func number(_ name: String, of topic: TopicDescription) -> Int64? {
        topic.settings[name].flatMap { Int64($0) }
    }
}
