/// What a relay does at intervals.
package struct RelaySchedule: Hashable, Sendable {
    /// One kind of recurring work.
    package enum Work: Int, CaseIterable, Sendable {
        case heartbeat, sample, watermark, cluster

        /// How often, in ms.
        package var intervalMilliseconds: Int64 {
            switch self {
            case .heartbeat: 1000
            case .sample: WatermarkSampling.intervalMilliseconds
            case .watermark: 1000
            case .cluster: 5000
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
