internal import Domain
internal import Persistence
internal import Runtime

extension PostgresMaintenance.Outcome {
    /// Tells what was done, what was not, and what nobody but an operator can do.
    func tell(_ log: Log) {
        for name in partitions { log.notice("partition changed", .field("name", name)) }
        for failure in failures {
            log.warning("tables were not maintained", .field("error", failure))
        }
        guard let first = unfinishedErasures.first else { return }
        log.error(
            "keys of erased users are not destroyed",
            .field("count", unfinishedErasures.count),
            .field("first", first.description),
            .field("next", "repeat these erasures; chancery doctor names the users")
        )
    }
}
