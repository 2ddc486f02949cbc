/// What `.chancery/dev.env` says: the same facts as the table, for programs.
struct DevEnvironment: Sendable {
    private(set) var values: [(name: String, value: String)]

    init(_ values: [(name: String, value: String)]) { self.values = values }

    /// Reads lines `NAME=value`; a value may stand in single quotes.
    init(parsing text: String) {
        values = text.split(separator: "\n").compactMap { line in
            guard !line.hasPrefix("#"), let sign = line.firstIndex(of: "=") else { return nil }
            let value = line[line.index(after: sign)...].replacing(Self.quote, with: "\u{0}")
            let plain = value.filter { $0 != "'" }.replacing("\u{0}", with: "'")
            return (String(line[..<sign]), plain)
        }
    }

    subscript(name: String) -> String? { values.first { $0.name == name }?.value }

    /// Lines that a shell reads.
    var text: String {
        "# Written by chancery dev. In a shell: set -a; . .chancery/dev.env\n"
            + values.map { "\($0.name)='\($0.value.replacing("'", with: Self.quote))'\n" }
            .joined()
    }

    /// A single quote inside single quotes, as a shell reads it.
    private static let quote = "'\\''"
}
