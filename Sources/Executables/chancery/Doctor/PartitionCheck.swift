import Persistence

/// Partitions of the log: made in time, and nothing beside them.
enum PartitionCheck {
    private static let day: Int64 = 86_400
    /// A running token-issuer keeps three months and five weeks ahead; less than half of it says
    /// that none did for weeks.
    private static let monthsDays: Int64 = 45
    private static let weeksDays: Int64 = 17

    static func diagnoses(_ reach: PartitionReach) -> [Diagnosis] {
        var found: [Diagnosis] = []
        if reach.hasStrays {
            found.append(
                .fault(
                    "es.events_default is not empty: events came for whose time there was no "
                        + "partition, and now none can be made for it",
                    "Move them: the handbook's Production, Failures, says how."
                )
            )
        }
        let spans = [
            ("months", reach.monthsSeconds, monthsDays), ("weeks", reach.weeksSeconds, weeksDays),
        ]
        for (name, seconds, enough) in spans where seconds < enough * day {
            let sentence = "the partitions by \(name) end in \(max(0, seconds / day)) days"
            let remedy =
                "chancery migrate makes them, and a running token-issuer each hour: its "
                + "log says why it did not."
            // Two days are left to come and look; then events go where they must not.
            found.append(
                seconds < 2 * day ? .fault(sentence, remedy) : .warning(sentence, remedy)
            )
        }
        return found.isEmpty ? [.ok("the log's partitions are made ahead of time")] : found
    }
}
