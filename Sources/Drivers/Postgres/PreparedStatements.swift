/// The named statements of one session.
///
/// A text is known by the address of its storage: comparing two kilobytes of SQL for every request
/// would cost more than the request. The table keeps each text, so its address is not used again.
struct PreparedStatements {
    private struct Key: Hashable {
        let address: UInt
        let count: Int

        init(_ sql: [UInt8]) {
            address = unsafe sql.withUnsafeBufferPointer { UInt(bitPattern: $0.baseAddress) }
            count = sql.count
        }
    }

    private struct Prepared {
        let name: String
        let sql: [UInt8]
    }

    private var known: [Key: Prepared] = [:]
    private var made = 0

    /// Whether it is known, or there is room for one more.
    func hasName(for sql: [UInt8], max: Int) -> Bool {
        known.count < max || name(of: sql) != nil
    }

    func name(of sql: [UInt8]) -> String? { known[Key(sql)]?.name }

    mutating func add(_ sql: [UInt8]) -> String {
        made += 1
        let name = "s\(made)"
        known[Key(sql)] = Prepared(name: name, sql: sql)
        return name
    }

    mutating func forget(_ sql: [UInt8]) { known[Key(sql)] = nil }
}
