/// A SQL statement, its parameters and how to read its rows, together.
///
/// The text is one statement with `$1 …` for values, usually an embedded `.sql` file. It is
/// prepared once per connection; what makes it the same statement is the array it came from, so
/// keep texts in constants.
package struct Statement<Row: Sendable>: Sendable {
    let sql: [UInt8]
    let parameters: [Parameter]
    let isPrepared: Bool
    let read: @Sendable (borrowing ResultRow) throws(PostgresError) -> Row

    /// A statement that gives rows.
    package init(
        _ sql: [UInt8],
        _ parameters: [Parameter] = [],
        read: @escaping @Sendable (borrowing ResultRow) throws(PostgresError) -> Row
    ) {
        self.sql = sql
        self.parameters = parameters
        self.read = read
        isPrepared = true
    }

    /// A statement made at run time, parsed anew each time: tools and tests.
    package init(
        once sql: String,
        _ parameters: [Parameter] = [],
        read: @escaping @Sendable (borrowing ResultRow) throws(PostgresError) -> Row
    ) {
        self.sql = Array(sql.utf8)
        self.parameters = parameters
        self.read = read
        isPrepared = false
    }
}

extension Statement where Row == Void {
    /// A statement whose rows, if any, nobody reads.
    package init(_ sql: [UInt8], _ parameters: [Parameter] = []) {
        self.init(sql, parameters) { _ throws(PostgresError) in }
    }

    /// A statement made at run time whose rows nobody reads.
    package init(once sql: String, _ parameters: [Parameter] = []) {
        self.init(once: sql, parameters) { _ throws(PostgresError) in }
    }
}
