/// How many letters lie between a mistyped key and a known one.
enum EditDistance {
    /// Insertions, deletions and replacements of bytes (Levenshtein); long words cost their length.
    static func between(_ left: String, _ right: String) -> Int {
        let (a, b) = (Array(left.utf8.prefix(64)), Array(right.utf8.prefix(64)))
        var row = Array(0...b.count)
        for (index, letter) in a.enumerated() {
            var diagonal = row[0]
            row[0] = index + 1
            for column in b.indices {
                let replaced = diagonal + (b[column] == letter ? 0 : 1)
                diagonal = row[column + 1]
                row[column + 1] = min(replaced, row[column] + 1, row[column + 1] + 1)
            }
        }
        return row[b.count]
    }
}
