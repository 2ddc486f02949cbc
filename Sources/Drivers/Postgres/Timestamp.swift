/// `timestamptz` on the wire counts microseconds from 2000-01-01, ours from 1970-01-01.
enum Timestamp {
    /// 10 957 days.
    private static let epoch: Int64 = 946_684_800_000_000
    /// 294276-12-31T23:59:59.999999Z; beyond it PostgreSQL refuses.
    private static let last: Int64 = 9_223_371_331_199_999_999
    /// 4714-11-24 BC.
    private static let first: Int64 = -211_813_488_000_000_000

    static func encoded(_ microseconds: Int64) -> Int64 {
        let (shifted, overflow) = microseconds.subtractingReportingOverflow(epoch)
        return overflow ? first : min(max(shifted, first), last)
    }

    static func decoded(_ wire: Int64) -> Int64 {
        let (shifted, overflow) = wire.addingReportingOverflow(epoch)
        return overflow ? .max : shifted
    }
}
