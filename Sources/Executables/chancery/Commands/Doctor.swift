import OAuth
import Runtime

/// `chancery doctor`: what is wrong with an installation, and what to do about it.
struct Doctor: Command {
    static let name = "doctor"
    static let summary = "look for faults, and say what to do about each"
    static let help = """
        usage: chancery doctor [--config FILE] [--user NAME] [--insecure-dev] [--json]
                               [--admin URL] [--token-file FILE] [--project ID]

        Looks at PostgreSQL (reachable, durable, set for our load, of our schema, clock, who holds
        it back, rights of the roles, keys of erased users), at Kafka (reachable, topics as they
        have to be), at the read model of revocations (complete, nothing stopped), at a token-issuer
        (ready, risky choices in its projects, what two of them share) and at the processes' files
        where they stand beside the one of --config. Ends with the start list: the 15 rules that a
        production start refuses to break, with what was seen of each. Changes nothing. Exit status
        0 when there is no fault, with or without warnings, 1 when there is one, 2 when it failed.

          --config FILE     settings with the sections database and kafka
                            (/etc/chancery/operator.yaml, else .chancery/config/operator.yaml)
          --user NAME       connect to the database as this role; one that inherits
                            pg_read_all_stats and log_reader is told everything
        \(AdminClient.help)
          --insecure-dev    warn of what it allows a process, instead of a fault
          --json            for programs

        example: chancery doctor --config /etc/chancery/operator.yaml
        """

    private let config: String?
    private let user: String?
    private let client: AdminClient
    private let isInsecureDev: Bool
    let asJSON: Bool

    init(_ arguments: inout Arguments) throws(UsageError) {
        config = try arguments.value("--config")
        user = try arguments.value("--user")
        client = try AdminClient(&arguments)
        isInsecureDev = arguments.flag("--insecure-dev")
        asJSON = arguments.flag("--json")
    }

    var failed: Int32 { 2 }

    func run() -> Int32 {
        CommandLoop.run(self) { [self] loop throws(CommandFailure) in
            let settings = try OperatorSettings(config, isInsecureDev: isInsecureDev)
            var found = await DatabaseCheck(settings: settings, user: user).diagnoses(on: loop)
            found += await KafkaCheck(settings: settings).diagnoses()
            found += await ProjectionCheck(settings: settings, user: user).diagnoses(on: loop)
            found += await ProcessCheck(client: client, settings: settings, user: user)
                .diagnoses(on: loop)
            found += StartFilesCheck(beside: settings.path, isInsecureDev: isInsecureDev)
                .diagnoses()
            let list = StartList(found)
            let others = found.filter { $0.rule == nil }
            found = others + list.diagnoses
            let faults = found.count { $0.level == .fault }
            let warnings = found.count { $0.level == .warning }
            if asJSON {
                Output.say(.array(found.map(\.json)))
            } else {
                for diagnosis in others { Terminal.say(diagnosis.text) }
                Terminal.say("\nA production start refuses what breaks one of these:")
                for line in list.lines { Terminal.say(line) }
                Terminal.say("\(found.count) looked at, \(faults) faults, \(warnings) warnings")
            }
            return faults == 0 ? 0 : 1
        }
    }
}
