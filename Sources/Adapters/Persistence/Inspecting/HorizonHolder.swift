internal import Postgres

/// Who holds back what the server may publish or forget: an open transaction, or a slot.
package struct HorizonHolder: Hashable, Sendable {
    /// What it is.
    package enum Kind: String, Hashable, Sendable {
        /// A connection.
        case session
        /// A connection whose commit waits for a synchronous standby.
        case standby
        /// A transaction that waits for `COMMIT PREPARED`.
        case prepared
        /// A replication slot.
        case slot
    }

    /// Longer than any of our own transactions, which take no second.
    private static let writingSecondsMax: Int64 = 5
    private static let readingSecondsMax: Int64 = 60
    /// Where no time is told: as many dead versions of a row cost what reads it milliseconds.
    private static let transactionsMax: Int64 = 20_000

    package var kind: Kind
    /// The server process, as `pg_stat_activity` names it; 0: there is none.
    package var process: Int32
    /// Its application's name, or its own.
    package var name: String
    package var role: String
    /// It has a transaction number: the relay waits for it.
    package var isWriter: Bool
    /// How long its transaction lasts; nil when this role is not told, and of a slot.
    package var seconds: Int64?
    /// How many transactions have begun since.
    package var transactions: Int64

    /// Puts an answer together.
    package init(
        _ kind: Kind,
        process: Int32,
        name: String,
        role: String,
        isWriter: Bool,
        seconds: Int64?,
        transactions: Int64
    ) {
        self.kind = kind
        self.process = process
        self.name = name
        self.role = role
        self.isWriter = isWriter
        self.seconds = seconds
        self.transactions = transactions
    }

    /// Whether relay or projector come to feel it.
    package var isHindrance: Bool {
        guard let seconds else { return transactions > Self.transactionsMax }
        return seconds > (isWriter ? Self.writingSecondsMax : Self.readingSecondsMax)
    }
}

extension Statement where Row == HorizonHolder {
    static var horizonHolders: Self {
        Statement(PackageResources.horizon_holders_sql) { row throws(PostgresError) in
            guard let kind = HorizonHolder.Kind(rawValue: try row.text(0)) else {
                throw .unexpectedRow(column: 0)
            }
            return HorizonHolder(
                kind,
                process: try row.int4(1),
                name: try row.text(2),
                role: try row.text(3),
                isWriter: try row.bool(4),
                seconds: try row.optionalInt8(5),
                transactions: try row.int8(6)
            )
        }
    }
}
