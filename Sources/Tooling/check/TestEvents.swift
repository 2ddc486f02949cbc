import Foundation

/// What Swift Testing's event stream (JSON lines, version 0) says about a run.
///
/// The stream is read, not the console: it names each test, and a crash leaves a test begun but
/// not ended. A row of a table is a test.
struct TestEvents {
    private(set) var outcome = Outcome()
    /// The tests that ran, skipped ones included.
    private var done: [String] = []

    private var functions: [String: String] = [:]
    private var begun: Set<String> = []
    private var issues: [String: [String]] = [:]
    private var rows: [String: Rows] = [:]
    /// Failures that belong to no test, such as one in a task a test left behind.
    private var orphans: [String] = []

    /// The rows of one table: how many ran, and which of them have an issue.
    private struct Rows {
        var count = 0
        var failed: Set<String> = []
    }

    init(_ text: String) {
        for line in text.split(separator: "\n") {
            guard let record = try? JSONDecoder().decode(Record.self, from: Data(line.utf8)) else {
                continue
            }
            read(record)
        }
        for id in begun.sorted() {
            outcome.fail("\(label(id)): it did not end; did it crash?")
        }
        for orphan in orphans { outcome.fail(orphan) }
    }

    private mutating func read(_ record: Record) {
        let payload = record.payload
        if record.kind == "test", let id = payload.id, payload.kind == "function" {
            functions[id] = payload.displayName ?? payload.name ?? id
            return
        }
        let id = payload.testID
        switch payload.kind {
        case "testStarted": if let id, functions[id] != nil { begun.insert(id) }
        case "testCaseEnded": if let id { rows[id, default: Rows()].count += 1 }
        case "issueRecorded":
            guard let text = record.issueText else { break }
            note(text, for: id)
            if let id, let row = payload._testCase?.id {
                rows[id, default: Rows()].failed.insert(row)
            }
        case "testSkipped": if let id, functions[id] != nil { skip(id, payload) }
        case "testCancelled": if let id { issues[id, default: []] += payload._comments ?? [] }
        case "testEnded": if let id, functions[id] != nil { end(id, payload) }
        default: break
        }
    }

    private mutating func note(_ text: String, for id: String?) {
        if let id { issues[id, default: []].append(text) } else { orphans.append(text) }
    }

    private mutating func skip(_ id: String, _ payload: Record.Payload) {
        count(id)
        outcome.tally.skipped += 1
        let reason = payload._comments?.joined(separator: " ") ?? "no reason given"
        outcome.skips.append("\(label(id)): \(reason)")
    }

    private mutating func end(_ id: String, _ payload: Record.Payload) {
        guard begun.remove(id) != nil else { return }
        count(id)
        switch payload.messages?.first?.symbol {
        case "fail":
            let table = rows[id] ?? Rows()
            let failed = max(1, table.failed.count)
            outcome.tally.failed += failed
            outcome.tally.passed += max(0, table.count - failed)
            let why = issues[id] ?? ["no issue was recorded"]
            outcome.failures += why.prefix(20).map { "\(label(id)): \($0)" }
        case "skip":
            outcome.tally.skipped += 1
            outcome.skips.append("\(label(id)): \(issues[id]?.first ?? "no reason given")")
        default:
            outcome.tally.passed += max(1, rows[id]?.count ?? 1)
        }
    }

    private mutating func count(_ id: String) { done.append(id) }

    /// How many tests of a target, or of a pattern that begins with `^`, ran.
    func count(of target: String) -> Int {
        let pattern = target.hasPrefix("^") ? target : "^\(target)[./]"
        guard let expression = try? Regex(pattern) else { return 0 }
        return done.count { $0.contains(expression) }
    }

    private func label(_ id: String) -> String {
        let suite = id.split(separator: "/").first.map(String.init) ?? id
        return "\(suite) \"\(functions[id] ?? id)\""
    }
}
