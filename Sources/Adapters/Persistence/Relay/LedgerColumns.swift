internal import Domain
internal import EventFormat
internal import Postgres
internal import Publishing

/// The parameters of what the ledger keeps, a column each, filled row by row in one pass.
struct LedgerColumns {
    private var indexes: [Int64] = []
    private var epochs: [Int16] = []
    private var xids: [UInt64] = []
    private var positions: [Int64] = []
    private var streams: [(UInt64, UInt64)] = []
    private var versions: [Int32] = []
    private var hashes: [[UInt8]] = []

    init(reserving rows: Int) {
        indexes.reserveCapacity(rows)
        epochs.reserveCapacity(rows)
        xids.reserveCapacity(rows)
        positions.reserveCapacity(rows)
        streams.reserveCapacity(rows)
        versions.reserveCapacity(rows)
        hashes.reserveCapacity(rows)
    }

    mutating func add(_ row: NumberedRow) {
        indexes.append(row.index)
        epochs.append(row.row.place.epoch)
        xids.append(row.row.place.xid)
        positions.append(row.row.place.position)
        streams.append(row.row.event.stream.halves)
        versions.append(row.row.event.version)
        hashes.append(row.row.hash.digest.bytes)
    }

    /// In the order of `relay_record.sql`.
    var parameters: [Parameter] {
        [
            .int8s(indexes), .int2s(epochs), .xid8s(xids), .int8s(positions), .uuids(streams),
            .int4s(versions), .byteStrings(hashes),
        ]
    }
}
