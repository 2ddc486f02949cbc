import Foundation

/// The table, printed as it grows.
final class Report {
    private(set) var rows: [String] = []

    func note(_ text: String) { say("# \(text)") }

    /// At once, also into a pipe.
    private func say(_ text: String) {
        try? FileHandle.standardOutput.write(contentsOf: Data((text + "\n").utf8))
    }

    func header() {
        say(
            """
            | line | req/s | issuer µs | PG µs | p50 ms | p99 ms | RSS MB | floors µs | ratio |
            |---|---|---|---|---|---|---|---|---|
            """
        )
    }

    func line(_ name: String, _ measured: Measurement, floors: Double, note remark: String = "") {
        let row = [
            name,
            String(format: "%.0f", measured.rate),
            String(format: "%.1f", measured.issuerMicroseconds),
            String(format: "%.1f", measured.postgresMicroseconds),
            String(format: "%.2f", measured.load.quantile(0.5) / 1000),
            String(format: "%.2f", measured.load.quantile(0.99) / 1000),
            String(format: "%.0f", Double(measured.residentBytes) / 1_048_576),
            String(format: "%.1f", floors),
            floors > 0 ? String(format: "%.2f", measured.microseconds / floors) : "-",
        ]
        let text = "| " + row.joined(separator: " | ") + " |"
        rows.append(text)
        say(text)
        if measured.load.failures > 0 { note("\(name): \(measured.load.failures) failures") }
        if !remark.isEmpty { note("\(name): \(remark)") }
    }
}
