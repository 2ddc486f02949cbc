/// How far the relay has published: the last row, and the number the next one gets.
package struct RelayCursor: Hashable, Sendable {
    /// The last published row.
    package var place: LogPosition
    /// The number of the next row.
    package var nextIndex: Int64

    /// Names a cursor.
    package init(place: LogPosition, nextIndex: Int64) {
        self.place = place
        self.nextIndex = nextIndex
    }

    /// Numbers `rows`, which follow in order, and moves behind them.
    package mutating func number(_ rows: [LogRow]) -> [NumberedRow] {
        rows.map { row in
            defer {
                nextIndex += 1
                place = row.place
            }
            return NumberedRow(index: nextIndex, row: row)
        }
    }
}
