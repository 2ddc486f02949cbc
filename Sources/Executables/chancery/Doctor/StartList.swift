/// What a production start refuses (Security 10), rule by rule, with what was seen of
/// each.
struct StartList: Sendable {
    /// A rule by its number there.
    struct Rule: Sendable {
        var number: Int
        var sentence: String
        /// Why nothing may have been seen of it, and who looks.
        var whoLooks = "Name the processes' files: they stand beside the one of --config."
    }

    private static let process = "Only the process itself can tell: it looks when it starts."
    private static let project = "Name a token-issuer: --admin and --token-file."
    private static let database = "The database has to answer first."

    static let rules = [
        Rule(number: 1, sentence: "each issuer is an https origin without path", whoLooks: project),
        Rule(number: 2, sentence: "plain HTTP on loopback or behind trusted proxies only"),
        Rule(
            number: 3,
            sentence: "keys and credentials are private, regular files; as root no process starts"
        ),
        Rule(number: 4, sentence: "no password in a setting; a remote database has verified TLS"),
        Rule(
            number: 5,
            sentence: "each process has a role of its own, with limits, that cannot forge events",
            whoLooks: database
        ),
        Rule(
            number: 6,
            sentence: "PostgreSQL 15 or later, UTF8, durable, with this program's schema",
            whoLooks: database
        ),
        Rule(
            number: 7,
            sentence: "a synchronous standby, or durability: single-node",
            whoLooks: database
        ),
        Rule(
            number: 8,
            sentence: "Kafka with TLS, three copies, topics that lose nothing",
            whoLooks: "The brokers have to answer first."
        ),
        Rule(number: 9, sentence: "each project has an active signing key", whoLooks: project),
        Rule(
            number: 10,
            sentence: "the cookie domain is a parent of the issuer and no public suffix",
            whoLooks: project
        ),
        Rule(
            number: 11,
            sentence: "every client keeps the rules of WireContract, \"Project configuration\"",
            whoLooks: project
        ),
        Rule(number: 12, sentence: "every lifetime is in its range", whoLooks: project),
        Rule(number: 13, sentence: "mail goes out with TLS, or to a relay on loopback"),
        Rule(
            number: 14,
            sentence: "SWIFT_BACKTRACE=enable=no, and 16384 open files or more",
            whoLooks: process
        ),
        Rule(number: 15, sentence: "no unknown key in any configuration"),
    ]

    /// What was seen, and a diagnosis for each rule of which nothing was.
    let diagnoses: [Diagnosis]

    init(_ seen: [Diagnosis]) {
        let known = Set(seen.compactMap(\.rule))
        diagnoses =
            seen.filter { $0.rule != nil }
            + Self.rules.filter { !known.contains($0.number) }.map { rule in
                Diagnosis.unseen(rule.sentence, rule.whoLooks).of(rule.number)
            }
    }

    /// A line for each rule, with what is not right below it.
    var lines: [String] {
        Self.rules.flatMap { rule in
            let own = diagnoses.filter { $0.rule == rule.number }
            let worst = own.map(\.level).max { $0.weight < $1.weight } ?? .unseen
            let number = rule.number < 10 ? " \(rule.number)" : "\(rule.number)"
            return ["\(worst.mark) \(number) \(rule.sentence)"]
                + own.filter { $0.level != .ok }.flatMap(Self.details)
        }
    }

    private static func details(_ diagnosis: Diagnosis) -> [String] {
        let remedy = diagnosis.remedy.map { ["       → \($0)"] } ?? []
        return diagnosis.level == .unseen ? remedy : ["     \(diagnosis.sentence)"] + remedy
    }
}
