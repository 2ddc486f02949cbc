import Configuration
import OAuth
import Persistence
import Runtime

/// `chancery migrate`: brings the schema forward and makes topics.
struct Migrate: Command {
    static let name = "migrate"
    static let summary = "bring the database's schema forward; make Kafka's topics"
    static let help = """
        usage: chancery migrate [--config FILE] [--dry-run] [--topics] [--user NAME]
                                [--insecure-dev] [--json]

        Takes every step of the schema that the database has not taken, in order, each in a
        transaction of its own, and makes the partitions of the coming months. Steps only go
        forward; one that was taken is never changed. Two at once take turns. A step that gets no
        lock lets others pass, tries again for a minute, and then says who holds it.

          --config FILE   settings with the sections database and kafka
                          (/etc/chancery/operator.yaml, else .chancery/config/operator.yaml)
          --dry-run       only say which steps would be taken, and which partitions and topics made;
                          exit status 0 when there are none, 1 when there are some, 2 when it failed
          --topics        also make the topics; fails when one that exists is as a process would
                          refuse it
          --user NAME     connect as this role; the first step needs one that may create roles
                          and owns the database (the settings' user, else migrator)
          --insecure-dev  allow brokers without TLS that are not on this machine
          --json          one JSON object on standard output

        example: chancery migrate --config /etc/chancery/operator.yaml --dry-run
        """

    private let config: String?
    private let user: String?
    private let isDry: Bool
    private let withTopics: Bool
    private let isInsecureDev: Bool
    let asJSON: Bool

    init(_ arguments: inout Arguments) throws(UsageError) {
        config = try arguments.value("--config")
        user = try arguments.value("--user")
        isDry = arguments.flag("--dry-run")
        withTopics = arguments.flag("--topics")
        isInsecureDev = arguments.flag("--insecure-dev")
        asJSON = arguments.flag("--json")
    }

    var failed: Int32 { isDry ? 2 : 1 }

    func run() -> Int32 {
        CommandLoop.run(self) { [self] loop throws(CommandFailure) in
            try await run(on: loop)
        }
    }

    private func run(on loop: Loop) async throws(CommandFailure) -> Int32 {
        let settings = try OperatorSettings(config, isInsecureDev: isInsecureDev)
        let migrator = Wiring.migrator(try settings.address(user: user), on: loop)
        var steps: [Migration] = []
        var partitions: [String] = []
        do throws(MigrationError) {
            if isDry {
                steps = try await migrator.pending()
                // The step that makes the table makes partitions of it, too.
                if steps.allSatisfy({ $0.version > 2 }) {
                    partitions = try await migrator.missingPartitions()
                }
            } else {
                partitions = try await migrator.apply { step in
                    steps.append(step)
                    if !asJSON { Terminal.say("taken: \(step.fileName)") }
                }
                if !asJSON {
                    for name in partitions { Terminal.say("was made: partition \(name)") }
                }
            }
        } catch { throw CommandFailure("\(error)", status: error.exitStatus) }
        let topics = Topics(settings.kafka)
        // A dry run has not the tables yet that say so where it would make them.
        if withTopics, !isDry || steps.allSatisfy({ $0.version > 25 }) {
            try await refuseEmptied(settings.kafka, topics, migrator)
        }
        let made = withTopics ? try await topics.bring(isDry: isDry) : []
        tell(steps, partitions, made)
        if withTopics { try await topics.refuseWrong(but: made) }
        return isDry && !(steps.isEmpty && partitions.isEmpty && made.isEmpty) ? 1 : 0
    }

    /// A topic of revocations that was deleted would stay empty, and be called complete.
    private func refuseEmptied(
        _ settings: KafkaSettings,
        _ topics: Topics,
        _ migrator: Migrator
    ) async throws(CommandFailure) {
        let name = settings.revocationsTopic
        guard try await topics.partitions(of: name) == nil else { return }
        let cluster = try await topics.clusterID()
        let isTold: Bool
        do throws(MigrationError) {
            isTold = try await migrator.isTold(topic: name, on: cluster)
        } catch { throw CommandFailure("\(error)", status: error.exitStatus) }
        guard isTold else { return }
        throw CommandFailure(
            "topic \(name) was deleted: made anew under its name it lacks every revocation before",
            remedy: "Name another one (kafka.revocations_topic), here and where the projectors and "
                + "consumers read it, and give the command again: it gets all of them."
        )
    }

    private func tell(_ steps: [Migration], _ partitions: [String], _ topics: [String]) {
        if asJSON {
            return Output.say(
                .object([
                    .init("dry_run", .bool(isDry)),
                    .init("steps", .array(steps.map { .string($0.fileName) })),
                    .init("partitions", .array(partitions.map { .string($0) })),
                    .init("topics", .array(topics.map { .string($0) })),
                ])
            )
        }
        let verb = isDry ? "would be" : "was"
        if isDry {
            for step in steps { Terminal.say("would be taken: \(step.fileName)") }
            for name in partitions { Terminal.say("would be made: partition \(name)") }
        }
        for topic in topics { Terminal.say("\(verb) made: topic \(topic)") }
        if steps.isEmpty, partitions.isEmpty, topics.isEmpty {
            Terminal.say("Nothing to do: the schema is current.")
        }
    }
}
