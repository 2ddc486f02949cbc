/// A row and its place in the published order.
package struct NumberedRow: Hashable, Sendable {
    /// Dense from 0, given once, for ever.
    package var index: Int64
    /// The row.
    package var row: LogRow

    /// Numbers a row.
    package init(index: Int64, row: LogRow) {
        self.index = index
        self.row = row
    }
}
