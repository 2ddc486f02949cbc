import Foundation

/// The handbook's article of the schema in force: prose, and blocks that are made.
///
/// A made block is the first one below a heading that names a kind of things. Behind two hyphens at
/// the end of its lines people write what a table or a function is for, and what a column means.
/// That stays with the table, function or column, whatever else of its line changes.
struct SchemaArticle {
    private var lines: [String]

    private struct Block {
        var heading: String
        /// Those between the fences.
        var lines: Range<Int>
    }

    /// Before what people write.
    private static let mark = "  -- "
    /// Where they do, in a line that is no longer.
    private static let remarkColumn = 60

    init(_ text: String) {
        lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }

    var text: String { lines.joined(separator: "\n") }

    /// Of the made blocks, in order.
    var headings: [String] { blocks.map(\.heading) }

    /// The lines of tables and functions without a sentence that says what these are for.
    var unexplained: [String] {
        blocks.filter { $0.heading.contains(" of ") }.flatMap { lines[$0.lines] }
            .filter { !$0.isEmpty && !$0.hasPrefix(" ") }
            .filter { !$0.contains(Self.mark) || !$0.hasSuffix(".") }
    }

    /// The same with what a catalogue has in its blocks: below a heading the lines of each entry.
    func showing(_ catalogue: [String: [[String]]]) -> SchemaArticle {
        var article = self
        for block in blocks.reversed() {
            let remarks = Self.remarks(in: lines[block.lines])
            var place = Place()
            var made: [String] = []
            for entry in catalogue[block.heading] ?? [] {
                // Functions are short enough to follow each other.
                if !made.isEmpty, !block.heading.hasPrefix("Functions") { made.append("") }
                for line in entry {
                    made.append(Self.line(line, remarks[place.name(of: line)]))
                }
            }
            article.lines.replaceSubrange(block.lines, with: made)
        }
        return article
    }

    private var blocks: [Block] {
        var blocks: [Block] = []
        var heading: String?
        var start: Int?
        for (number, line) in lines.enumerated() {
            if line.hasPrefix("```") {
                if let first = start, let title = heading {
                    blocks.append(Block(heading: title, lines: first..<number))
                    heading = nil
                }
                start = start == nil ? number + 1 : nil
            } else if start == nil, line.hasPrefix("## ") {
                let title = String(line.dropFirst(3))
                heading = Self.isMade(title) ? title : nil
            }
        }
        return blocks
    }

    private static func isMade(_ heading: String) -> Bool {
        ["Roles", "Rights"].contains(heading)
            || ["Tables of ", "Functions of "].contains { heading.hasPrefix($0) }
    }

    /// What people wrote into a block, by its places.
    private static func remarks(in block: ArraySlice<String>) -> [String: String] {
        var remarks: [String: String] = [:]
        var place = Place()
        for line in block {
            let parts = line.components(separatedBy: mark)
            // The name of every line, or the place would not move.
            let name = place.name(of: parts[0])
            if parts.count > 1 { remarks[name] = parts.dropFirst().joined(separator: mark) }
        }
        return remarks
    }

    private static func line(_ made: String, _ remark: String?) -> String {
        guard let remark else { return made }
        // What a table is for stands beside its name.
        let least = made.hasPrefix(" ") ? remarkColumn : 0
        let width = max(least, made.count + 2)
        return made.padding(toLength: width, withPad: " ", startingAt: 0) + "-- \(remark)"
    }
}

/// Where a line of a block belongs to.
private struct Place {
    /// The table or function whose lines come.
    private var object = ""

    /// The name of a line's place: of the table or function, and of the column in it; the whole
    /// line where it is of no column.
    mutating func name(of line: String) -> String {
        let text = line.trimmingCharacters(in: .whitespaces)
        guard line.hasPrefix(" ") else {
            let ends = [" [", "  "].compactMap { text.range(of: $0)?.lowerBound }
            object = String(text[..<(ends.min() ?? text.endIndex)])
            return object
        }
        let word = text.prefix { $0 != " " }
        return "\(object)\n\(word.first?.isLowercase == true ? String(word) : text)"
    }
}
