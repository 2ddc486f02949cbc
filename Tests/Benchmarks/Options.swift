/// What the command line asks for.
struct Options {
    /// A mistake, said so that the next try succeeds.
    struct Mistake: Error { var sentence: String }

    var runs = 3
    var seconds = 5.0
    var sessions = 1_000_000
    /// Refreshes a second beside the lines behind Kafka; nil: a third of what was measured.
    var rate: Double?
    var isJSON = false
    var keeps = false
    var isStrict = false
    var wantsHelp = false
    var lines: Set<Line> = []

    static var usage: String {
        let names = Line.allCases.map { line in
            let padding = String(repeating: " ", count: 14 - line.rawValue.utf8.count)
            return "  \(line.rawValue)\(padding)\(line.purpose)"
        }
        return """
            deploy/bench [OPTION]... [LINE]...     without a LINE: all of them

              --runs N       runs of a line, of which the median is shown, default 3
              --seconds N    measured time of a run, default 5
              --sessions N   of the largest store, default 1,000,000
              --events N     the same counted in events, \(BulkSeeds.eventsPerSession) a session
              --rate N       refreshes a second beside events and revocations, default a third
                             of the capacity that the same run has measured
              --json         one JSON document on standard output, all else on standard error
              --strict       exit status 1 when a line is short of its bar
              --keep         leave the cluster's directory behind

            \(names.joined(separator: "\n"))
            """
    }

    init(_ arguments: ArraySlice<String>) throws {
        var rest = arguments
        while let word = rest.popFirst() {
            switch word {
            case "--help", "-h": wantsHelp = true
            case "--json": isJSON = true
            case "--keep": keeps = true
            case "--strict": isStrict = true
            case "--runs": runs = Int(try Self.number(word, &rest, in: 1...100))
            case "--seconds": seconds = try Self.number(word, &rest, in: 0.5...3600)
            case "--sessions": sessions = Int(try Self.number(word, &rest, in: 1000...1e8))
            case "--events":
                let count = Int(try Self.number(word, &rest, in: 6000...1e9))
                sessions = count / BulkSeeds.eventsPerSession
            case "--rate": rate = try Self.number(word, &rest, in: 1...1e5)
            default:
                guard let line = Line(rawValue: word) else {
                    throw Mistake(sentence: "there is no line and no option \(word)")
                }
                lines.insert(line)
            }
        }
        if lines.isEmpty { lines = Set(Line.allCases) }
    }

    private static func number(
        _ name: String,
        _ rest: inout ArraySlice<String>,
        in range: ClosedRange<Double>
    ) throws -> Double {
        guard let number = rest.popFirst().flatMap(Double.init), range.contains(number) else {
            let bounds = "\(Int(range.lowerBound.rounded(.up))) to \(Int(range.upperBound))"
            throw Mistake(sentence: "\(name) needs a number, \(bounds)")
        }
        return number
    }

    func wants(_ line: Line) -> Bool { lines.contains(line) }

    var secondsExpected: Double {
        let parts = lines.map {
            $0.secondsExpected(runs: Double(runs), seconds: seconds, sessions: Double(sessions))
        }
        return 40 + parts.reduce(0, +)
    }
}
