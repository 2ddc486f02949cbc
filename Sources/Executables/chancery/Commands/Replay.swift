import OAuth
import Runtime

/// `chancery replay`: makes a read model anew from the log.
struct Replay: Command {
    static let name = "replay"
    static let summary = "rebuild a read model from the log, beside the one in service"
    static let help = """
        usage: chancery replay revocation [--config FILE] [--user NAME] [--restart]
                                         [--lose-revocations] [--insecure-dev] [--json]

        Fills a second read model of revocations and sessions from PostgreSQL, in the published
        order, while the first stays in service; then puts it in its place in one transaction. What
        the new one has and the old one had not is published. The projector goes on by itself; the
        feed's cursors stay valid. Interrupted, the same command goes on where it was. The model
        that was in service is kept, as schema revocation_g<number>, until a rebuild begins that is
        more than a day later. Refused while the schema is not this program's, the database's clock
        differs from ours by more than 2 s, or the new model would lack revocations of tokens that
        still live.

        Needed after the read model was damaged, or when a stopped key can never be read.

          --config FILE   settings with the sections database and kafka
                          (/etc/chancery/operator.yaml, else .chancery/config/operator.yaml)
          --user NAME     connect as this role, which may become chancery_owner
                          (the settings' user, else migrator)
          --restart       drop what an interrupted run has made, and begin again
          --lose-revocations
                          also when only the old model has revocations of living tokens
          --insecure-dev  allow brokers without TLS that are not on this machine
          --json          one JSON object on standard output, no progress

        example: chancery replay revocation --config /etc/chancery/operator.yaml
        """

    private let config: String?
    private let user: String?
    private let isRestart: Bool
    private let losesRevocations: Bool
    private let isInsecureDev: Bool
    let asJSON: Bool

    init(_ arguments: inout Arguments) throws(UsageError) {
        config = try arguments.value("--config")
        user = try arguments.value("--user")
        isRestart = arguments.flag("--restart")
        losesRevocations = arguments.flag("--lose-revocations")
        isInsecureDev = arguments.flag("--insecure-dev")
        asJSON = arguments.flag("--json")
        guard try arguments.word("PROJECTION") == "revocation" else {
            throw UsageError(sentence: "the only projection there is, is revocation")
        }
    }

    func run() -> Int32 {
        CommandLoop.run(self) { [self] loop throws(CommandFailure) in
            let settings = try OperatorSettings(config, isInsecureDev: isInsecureDev)
            let rebuild = try ProjectionRebuild(settings, user: user, on: loop)
            defer { rebuild.close() }
            let begin = MonotonicInstant.now()
            let outcome = try await rebuild.run(
                restart: isRestart,
                losesRevocations: losesRevocations
            ) { done, head, rate in
                if !asJSON { Terminal.say("\(done) of \(head) events, \(rate)/s") }
            }
            tell(outcome, seconds: MonotonicInstant.now().since(begin) / .seconds(1))
            return 0
        }
    }

    private func tell(_ outcome: ProjectionRebuild.Outcome, seconds: Double) {
        let rate = Int64(Double(outcome.events) / max(0.001, seconds))
        if asJSON {
            return Output.say(
                .object([
                    .init("generation", .integer(Int64(outcome.generation))),
                    .init("events", .integer(outcome.events)),
                    .init("milliseconds", .integer(Int64(seconds * 1000))),
                    .init("events_per_second", .integer(rate)),
                    .init("added", .integer(outcome.added)),
                    .init("gone", .integer(outcome.gone)),
                ])
            )
        }
        let whole = Int64(seconds.rounded())
        Terminal.say(
            "\(outcome.events) events in \(whole) s, \(rate)/s; the new model is in service"
        )
        let isSame = outcome.added == 0 && outcome.gone == 0
        Terminal.say(
            isSame
                ? "It has the revocations that the old one had."
                : "Revocations that the old one lacked or had otherwise: \(outcome.added); "
                    + "that only the old one had: \(outcome.gone)."
        )
    }
}
