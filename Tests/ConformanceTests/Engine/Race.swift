import EventFormat
import Foundation
import Runtime
import TestSupport
import Testing

/// Requests at once, half of them at each node, and the events they leave (Security I1).
struct Race {
    static let callers = 50
    /// How long what a node had no time for is repeated.
    private static let patience = Duration.seconds(20)

    /// What a sender of mails notes when it comes to it.
    private static let mailTypes =
        "\(StoredType.loginLinkMailSent.rawValue), \(StoredType.loginLinkMailFailed.rawValue)"

    private let project: TestProject
    private let begin: Int
    private let repeats = Guarded(0)

    /// How many requests were sent again, since their node had no time for them.
    var repeatCount: Int { repeats.current }

    /// What a project's log gains from now on is the race's: nothing else may run there.
    init(at project: TestProject) throws {
        self.project = project
        let rows = try Psql.rows(
            "SELECT coalesce(max(position), 0) FROM es.events",
            project.stack
        )
        begin = try #require(rows.first?.first.flatMap { Int($0) })
    }

    /// The final answer to each: a node that lost too often says so, and has changed nothing.
    ///
    /// `nodes`: where they go in turn; nil: the stack's own.
    func run(_ requests: [WireRequest], at nodes: [String]? = nil) async throws -> [WireAnswer] {
        let site = project.site
        let nodes = nodes ?? site.nodes
        let limit = ContinuousClock.now + Self.patience
        var answers: [WireAnswer?] = requests.map { _ in nil }
        var open = Array(requests.indices)
        while !open.isEmpty {
            let heard = try await WireClient.exchangeAtOnce(
                open.map { index in
                    let node = nodes[index % nodes.count]
                    return (requests[index].bytes(origin: site.origin), node)
                }
            )
            for (index, answer) in zip(open, heard) { answers[index] = answer }
            open = zip(open, heard).compactMap { index, answer in
                answer.secondsToRepeat == nil ? nil : index
            }
            if !open.isEmpty {
                guard ContinuousClock.now < limit else { break }
                repeats.withLock { [count = open.count] in $0 += count }
                try await Task.sleep(for: .seconds(1))
            }
        }
        return answers.compactMap(\.self)
    }

    /// The same at one node, so many at a time.
    ///
    /// One after the other, on a slow machine, they may be slower than what a limit lets through.
    func run(_ requests: [WireRequest], atOnce count: Int, at node: String) async throws
        -> [WireAnswer]
    {
        var answers: [WireAnswer] = []
        for begin in stride(from: 0, to: requests.count, by: count) {
            let some = Array(requests[begin...].prefix(count))
            answers += try await run(some, at: [node])
        }
        return answers
    }

    /// The same request from all callers.
    func run(_ request: WireRequest) async throws -> [WireAnswer] {
        try await run(Array(repeating: request, count: Self.callers))
    }

    /// What the log has gained, by type; but that a mail went out, which happens at its own time.
    func events() throws -> [StoredType: Int] {
        let rows = try Psql.rows(
            "SELECT type, count(*) \(gained) AND type NOT IN (\(Self.mailTypes)) GROUP BY type",
            project.stack
        )
        let pairs = rows.compactMap { row in
            Int16(row[0]).flatMap { StoredType(rawValue: $0) }.map { ($0, Int(row[1]) ?? 0) }
        }
        try #require(pairs.count == rows.count)
        return Dictionary(uniqueKeysWithValues: pairs)
    }

    /// The members of all new events of a type.
    func payloads(of type: StoredType) throws -> [[String: Any]] {
        let rows = try Psql.rows(
            "SELECT convert_from(payload, 'UTF8') \(gained) AND type = \(type.rawValue)",
            project.stack
        )
        return try rows.map { row in
            try #require(
                try JSONSerialization.jsonObject(with: Data(row[0].utf8)) as? [String: Any]
            )
        }
    }

    private var gained: String {
        """
        FROM es.events WHERE position > \(begin) AND project IN (
          SELECT project FROM es.events WHERE type = \(StoredType.projectConfigApplied.rawValue)
             AND convert_from(payload, 'UTF8')::json->>'project' = '\(project.id)')
        """
    }
}

extension [WireAnswer] {
    /// How many answers of each status and error code there are.
    var outcomes: [String: Int] {
        reduce(into: [:]) { $0[$1.outcome, default: 0] += 1 }
    }
}
