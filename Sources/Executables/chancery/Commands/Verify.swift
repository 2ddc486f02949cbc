import Domain
import EventFormat
import OAuth
import Persistence
import Runtime

/// `chancery verify`: whether the log is as it was written.
struct Verify: Command {
    static let name = "verify"
    static let summary = "reckon the log's hashes anew, and say where it is not as it was written"
    static let help = """
        usage: chancery verify [--config FILE] [--user NAME] [--since NUMBER] [--show COUNT]
                               [--insecure-dev] [--json]

        Reads every event of the log, by stream and version, reckons its hash from what is stored
        and from the hash before it, and compares; then compares the published order, the relay's
        ledger, with the log: each number that was given is there, and each event, with the hash and
        in the place it was published with. Events that are gone with their partition are no
        difference. Reads a page at a time, changes nothing, and holds nothing back; what is
        appended meanwhile may be passed by. Tells of its progress on standard error. Exit status 0
        when there is no difference, 1 when there is one, 2 when it failed.

          --config FILE   settings with the sections database and kafka
                          (/etc/chancery/operator.yaml, else .chancery/config/operator.yaml)
          --user NAME     connect as this role; one that inherits log_reader may read all of it
          --since NUMBER  only what was published with this number or a later one, each event with
                          its link to the one before it; each run says the number for the next,
                          and a number that is above the next one is refused
          --show COUNT    so many differences, 1-10000 (20); all are counted
          --insecure-dev  allow brokers without TLS that are not on this machine
          --json          one JSON object on standard output, no progress

        example: chancery verify --config /etc/chancery/operator.yaml --user doctor
        """

    private let config: String?
    private let user: String?
    private let since: Int64?
    private let shown: Int
    private let isInsecureDev: Bool
    let asJSON: Bool

    init(_ arguments: inout Arguments) throws(UsageError) {
        config = try arguments.value("--config")
        user = try arguments.value("--user")
        since = try arguments.number("--since", in: 0...Int.max).map { Int64($0) }
        shown = try arguments.number("--show", in: 1...10_000) ?? 20
        isInsecureDev = arguments.flag("--insecure-dev")
        asJSON = arguments.flag("--json")
    }

    var failed: Int32 { 2 }

    func run() -> Int32 {
        CommandLoop.run(self) { [self] loop throws(CommandFailure) in
            let settings = try OperatorSettings(config, isInsecureDev: isInsecureDev)
            let log = try await LogCheck(settings, user: user, on: loop)
            defer { log.close() }
            let begin = MonotonicInstant.now()
            let report = try await log.run(since: since, showing: shown) { report in
                if !asJSON { Terminal.complain(Self.progress(report)) }
            }
            tell(report, seconds: MonotonicInstant.now().since(begin) / .seconds(1))
            return report.differenceCount == 0 ? 0 : 1
        }
    }

    private static func progress(_ report: LogVerification.Report) -> String {
        "\(report.eventCount) events, \(report.publishedCount) numbers of the published order, "
            + "\(report.differenceCount) differences"
    }

    private func tell(_ report: LogVerification.Report, seconds: Double) {
        guard !asJSON else { return Output.say(json(report, seconds: seconds)) }
        for difference in report.differences { Terminal.say(Self.line(difference)) }
        for numbers in report.missingNumbers { Terminal.say(Self.line(numbers)) }
        let toldCount = report.differences.count + report.missingNumbers.count
        let more = report.differenceCount - Int64(toldCount)
        if more > 0 { Terminal.say("and \(more) more") }
        let streams = report.streamCount.map { " of \($0) streams" } ?? ""
        Terminal.say(
            "\(report.eventCount) events\(streams) and \(report.publishedCount) numbers of the "
                + "published order in \(Int64(seconds.rounded())) s: "
                + (report.differenceCount == 0
                    ? "no difference" : "\(report.differenceCount) differences")
        )
        Terminal.say("What is published next: --since \(report.nextIndex)")
    }

    private static func line(_ difference: LogDifference) -> String {
        let number = difference.logIndex.map { ", published as \($0)" } ?? ""
        return "✘ stream \(difference.stream), version \(difference.version), position "
            + "\(difference.position)\(number): \(difference.kind.sentence)"
    }

    private static let missing = "the ledger lacks what was published so"

    private static func line(_ numbers: ClosedRange<Int64>) -> String {
        "✘ numbers \(numbers.lowerBound) to \(numbers.upperBound) of the published order: "
            + missing
    }

    private func json(_ report: LogVerification.Report, seconds: Double) -> JSON {
        var members: [JSON.Member] = [.init("events", .integer(report.eventCount))]
        if let count = report.streamCount { members.append(.init("streams", .integer(count))) }
        var differences = report.differences.map(Self.entry)
        differences += report.missingNumbers.map(Self.numbers)
        members += [
            .init("published", .integer(report.publishedCount)),
            .init("next", .integer(report.nextIndex)),
            .init("milliseconds", .integer(Int64(seconds * 1000))),
            .init("difference_count", .integer(report.differenceCount)),
            .init("differences", .array(differences)),
        ]
        return .object(members)
    }

    private static func entry(_ difference: LogDifference) -> JSON {
        var members: [JSON.Member] = [
            .init("kind", .string(difference.kind.rawValue)),
            .init("stream", .string(difference.stream.description)),
            .init("version", .integer(Int64(difference.version))),
            .init("position", .integer(difference.position)),
            .init("what", .string(difference.kind.sentence)),
        ]
        if let index = difference.logIndex { members.append(.init("log_index", .integer(index))) }
        return .object(members)
    }

    private static func numbers(_ numbers: ClosedRange<Int64>) -> JSON {
        .object([
            .init("kind", .string("numbers")),
            .init("first", .integer(numbers.lowerBound)),
            .init("last", .integer(numbers.upperBound)),
            .init("what", .string(missing)),
        ])
    }
}
