/// Where a process says what happened: one JSON object per line, a constant sentence and fields.
///
/// Never a query, body, header value, token, e-mail or full IP address (Security 6).
/// Passed by initialiser; copies write to the same place.
package struct Log: Sendable {
    /// How much a line matters.
    package enum Level: Int, Sendable, Comparable, CaseIterable {
        case debug, info, notice, warning, error

        /// Orders by weight.
        package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }

        var name: StaticString {
            switch self {
            case .debug: "debug"
            case .info: "info"
            case .notice: "notice"
            case .warning: "warning"
            case .error: "error"
            }
        }
    }

    private let writer: LogWriter?
    private let context: [Field]

    /// Writes through `writer`, each line with the `context` fields.
    package init(_ writer: LogWriter, context: [Field] = []) {
        self.writer = writer
        self.context = context
    }

    private init() {
        writer = nil
        context = []
    }

    /// A log nobody reads, for tests.
    package static let discarding = Self()

    /// The same log with more fields in each line.
    package func with(_ fields: Field...) -> Self {
        guard let writer else { return self }
        return Self(writer, context: context + fields)
    }

    /// Waits until all that was said is written, at most `timeout`: for whoever ends the process
    /// at once.
    package func flush(within timeout: Duration = .seconds(1)) { writer?.flush(within: timeout) }

    /// Whether a line of `level` would be written; ask before work done only for the line.
    package func writes(_ level: Level) -> Bool { writer?.writes(level) ?? false }

    /// Says what only a developer looks for, spans among them.
    package func debug(_ message: StaticString, _ fields: Field...) {
        write(.debug, message, fields)
    }

    /// Says what happened in the normal course.
    package func info(_ message: StaticString, _ fields: Field...) {
        write(.info, message, fields)
    }

    /// Says what an operator should see on a quiet day.
    package func notice(_ message: StaticString, _ fields: Field...) {
        write(.notice, message, fields)
    }

    /// Says what went wrong and was dealt with.
    package func warning(_ message: StaticString, _ fields: Field...) {
        write(.warning, message, fields)
    }

    /// Says what needs a person.
    package func error(_ message: StaticString, _ fields: Field...) {
        write(.error, message, fields)
    }

    private func write(_ level: Level, _ message: StaticString, _ fields: [Field]) {
        guard let writer, writer.writes(level) else { return }
        var line = LogLine(at: WallTime.nowMicroseconds(), level, message)
        for field in context { line.append(field) }
        for field in fields { line.append(field) }
        writer.put(line.finished())
    }
}
