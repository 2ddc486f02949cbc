internal import Postgres

// Offsets by partition, as a `bigint[]`: the first is of partition 0; 0 stands where nothing is.

extension Parameter {
    static func offsets(_ offsets: [Int32: Int64]) -> Self {
        let last = offsets.keys.max() ?? -1
        return .int8s((0..<(last + 1)).map { offsets[$0] ?? 0 })
    }
}

extension ResultRow {
    func offsets(_ column: Int) throws(PostgresError) -> [Int32: Int64] {
        let values = try int8s(column)
        return Dictionary(
            uniqueKeysWithValues: zip(Int32(0)..., values).filter { $0.1 > 0 }
        )
    }
}
