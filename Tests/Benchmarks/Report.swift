import Foundation
import Runtime

// @unchecked: one task at a time uses it.
/// The results: a table that is printed as it grows, or one JSON document at the end.
final class Report: @unchecked Sendable {
    private let isJSON: Bool
    private let begin = MonotonicInstant.now()
    private var lines: [[String: Any]] = []
    private var isHeaded = false
    /// The lines that are short of their bars.
    private(set) var short: [String] = []

    init(isJSON: Bool) { self.isJSON = isJSON }

    /// A sentence between the lines.
    func note(_ text: String) { say("# \(text)") }

    /// What is being done now, for who waits.
    func progress(_ text: String) {
        let seconds = Int(MonotonicInstant.now().since(begin) / .seconds(1))
        Self.write("  \(seconds) s  \(text)\n", to: .standardError)
    }

    /// At once, also into a pipe.
    private func say(_ text: String) {
        Self.write(text + "\n", to: isJSON ? .standardError : .standardOutput)
    }

    private static func write(_ text: String, to handle: FileHandle) {
        try? handle.write(contentsOf: Data(text.utf8))
    }

    /// A line of the table: requests, and what they cost against their floors.
    func line(
        _ name: String,
        _ runs: Runs<Measurement>,
        bar: Double? = nil,
        note remark: String = ""
    ) {
        let measured = runs.median
        let (floors, ratio) = (measured.floors, measured.ratio)
        if !isHeaded {
            isHeaded = true
            say(
                """
                | line | req/s | issuer µs | PostgreSQL µs | p50 ms | p99 ms | RSS MB \
                | floors µs | ratio | bar |
                |---|---|---|---|---|---|---|---|---|---|
                """
            )
        }
        let (p50, p99) = (measured.load.quantile(0.5) / 1000, measured.load.quantile(0.99) / 1000)
        let row = [
            name, String(format: "%.0f", measured.rate),
            String(format: "%.1f", measured.issuerMicroseconds),
            String(format: "%.1f", measured.postgresMicroseconds),
            String(format: "%.2f", p50), String(format: "%.2f", p99),
            String(format: "%.0f", Double(measured.residentBytes) / 1_048_576),
            floors > 0 ? String(format: "%.1f", floors) : "",
            floors > 0 ? runs.ratioText : "",
            bar.map { String(format: "%g%@", $0, ratio > $0 ? " **short**" : "") } ?? "",
        ]
        say("| " + row.joined(separator: " | ") + " |")
        if let bar, ratio > bar { short.append(name) }
        if measured.load.failures > 0 { note("\(name): \(measured.load.failures) failures") }
        if floors > 0, measured.generatorShare > 0.9 {
            let share = Int(measured.generatorShare * 100)
            note("\(name): the load generator was \(share) % busy, so the rate is its own")
        }
        if !remark.isEmpty { note("\(name): \(remark)") }
        let spread = runs.all.map(\.microseconds)
        var object: [String: Any] = [
            "line": name, "runs": runs.all.count, "requests_per_second": measured.rate,
            "issuer_microseconds": measured.issuerMicroseconds,
            "postgres_microseconds": measured.postgresMicroseconds, "p50_milliseconds": p50,
            "p99_milliseconds": p99, "resident_bytes": measured.residentBytes,
            "failures": measured.load.failures, "microseconds_min": spread.min() ?? 0,
            "microseconds_max": spread.max() ?? 0,
        ]
        if measured.apart > 0 { object["apart_microseconds"] = measured.apart }
        object["generator_share"] = measured.generatorShare
        if floors > 0 {
            (object["floors_microseconds"], object["ratio"]) = (floors, ratio)
            object["ratio_least"] = runs.all.first?.ratio
            object["ratio_most"] = runs.all.last?.ratio
        }
        if let bar { object["ratio_max"] = bar }
        lines.append(object)
    }

    /// A figure of another kind: how many of what, and the bar it is held to.
    func figure(
        _ name: String,
        _ runs: Runs<Double>,
        _ unit: String,
        digits: Int = 2,
        bar: Bar? = nil,
        note remark: String = ""
    ) {
        let text = { String(format: "%.\(digits)f", $0 as Double) }
        let spread = runs.all.count > 1 ? ", \(text(runs.least)) to \(text(runs.most))" : ""
        var sentence = "\(name): \(text(runs.median)) \(unit)\(spread)"
        if let bar {
            if !bar.holds(runs.median) { short.append(name) }
            sentence += "; bar: \(bar)\(bar.holds(runs.median) ? "" : " **short**")"
        }
        note(remark.isEmpty ? sentence : "\(sentence); \(remark)")
        var object: [String: Any] = [
            "line": name, "runs": runs.all.count, "value": runs.median, "unit": unit,
            "least": runs.least, "most": runs.most,
        ]
        if let bar { object["bar"] = "\(bar)" }
        lines.append(object)
    }

    /// Says what was short, and prints what `--json` asked for.
    func close() {
        if !short.isEmpty { note("short of its bar: \(short.joined(separator: ", "))") }
        note("in \(Int(MonotonicInstant.now().since(begin) / .seconds(1))) s")
        guard isJSON,
            let data = try? JSONSerialization.data(
                withJSONObject: ["lines": lines],
                options: [.prettyPrinted, .sortedKeys]
            )
        else { return }
        try? FileHandle.standardOutput.write(contentsOf: data + Data("\n".utf8))
    }
}

/// What a figure is held to.
enum Bar: CustomStringConvertible {
    case under(Double)
    case atLeast(Double)

    var description: String {
        switch self {
        case .under(let limit): "under \(Self.text(limit))"
        case .atLeast(let limit): "at least \(Self.text(limit))"
        }
    }

    private static func text(_ limit: Double) -> String {
        limit == limit.rounded() ? "\(Int(limit))" : "\(limit)"
    }

    func holds(_ value: Double) -> Bool {
        switch self {
        case .under(let limit): value < limit
        case .atLeast(let limit): value >= limit
        }
    }
}
