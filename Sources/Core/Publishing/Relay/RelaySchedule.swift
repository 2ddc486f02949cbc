/// What a relay does at intervals.
package struct RelaySchedule: Hashable, Sendable {
    /// One kind of recurring work.
    package enum Work: Int, CaseIterable, Sendable {
        case heartbeat, sample, watermark, cluster, ledger, read

        /// How often, in ms.
        package var intervalMilliseconds: Int64 {
            switch self {
            case .heartbeat: 1000
            case .sample: WatermarkSampling.intervalMilliseconds
            case .watermark: 1000
            case .cluster: 5000
            // What Kafka has confirmed is kept so often while more is on its way.
            case .ledger: 10
            // While something is on its way: a broker answers one request after the other, one a
            // partition, so fuller ones carry more.
            case .read: 2
            }
        }
    }

    private var due: [UInt64] = Work.allCases.map { _ in 0 }

    /// Everything is due at once.
    package init() {}

    /// Whether `work` is due at `now`; then it is due again one interval later.
    package mutating func takes(_ work: Work, at now: UInt64) -> Bool {
        guard due[work.rawValue] <= now else { return false }
        due[work.rawValue] = now &+ UInt64(work.intervalMilliseconds) &* 1_000_000
        return true
    }
}
