import Runtime

/// Columns for people.
enum Table {
    static func say(_ head: [String], _ rows: [[String]]) {
        for line in lines(head, rows) { Terminal.say(line) }
    }

    /// The text with blanks behind it, up to a width.
    static func padded(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }

    /// Each column as wide as its widest cell; nothing hangs over the last one.
    static func lines(_ head: [String], _ rows: [[String]]) -> [String] {
        let all = (head.isEmpty ? [] : [head]) + rows
        let count = all.map(\.count).max() ?? 0
        let widths = (0..<count).map { column in
            all.map { column < $0.count ? $0[column].count : 0 }.max() ?? 0
        }
        return all.map { row in
            row.enumerated().map { column, cell in
                let gap = column + 1 < row.count ? widths[column] - cell.count + 2 : 0
                return cell + String(repeating: " ", count: gap)
            }.joined()
        }
    }
}
