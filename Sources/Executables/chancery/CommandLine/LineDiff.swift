/// Which lines two texts differ in, by their bytes: as the server compares documents.
struct LineDiff {
    /// `- line` for what goes, `+ line` for what comes, in the order of the texts.
    let changes: [String]

    init(from old: String, to new: String) {
        let difference = Self.lines(of: new).difference(from: Self.lines(of: old))
        changes = difference.map { change in
            switch change {
            case .remove(let offset, let line, _): (offset, 0, "- \(Self.text(line))")
            case .insert(let offset, let line, _): (offset, 1, "+ \(Self.text(line))")
            }
        }
        .sorted { ($0.0, $0.1) < ($1.0, $1.1) }
        .map(\.2)
    }

    /// To a `Character` the end of a line as some systems write it is one of its own.
    private static func lines(of text: String) -> [[UInt8]] {
        text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            .map { Array($0) }
    }

    /// With a sign for what would be seen by its absence alone: lines may differ in it.
    private static func text(_ line: [UInt8]) -> String {
        guard line.last == UInt8(ascii: "\r") else { return String(decoding: line, as: UTF8.self) }
        return String(decoding: line.dropLast(), as: UTF8.self) + "\u{240D}"
    }
}
