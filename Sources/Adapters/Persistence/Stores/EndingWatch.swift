package import Domain
internal import Issuing
package import Runtime

/// Whether the ends of the log can be found here (decision 0131).
package final class EndingWatch: Sendable {
    private let haveNumbersBegunAgain = Guarded(false)

    package init() {}

    /// Nil unless no end is found: a check of `/readyz`.
    package var problem: String? {
        guard haveNumbersBegunAgain.current else { return nil }
        return "not followed, because transaction numbers began again; raise the epoch of the log "
            + "(Production.md, Backups)"
    }

    /// Looks once, and says so when it is news; without an answer, what was known stays.
    package func look(at ends: PostgresEndingLog, by deadline: Deadline, log: Log) async {
        guard let haveBegun = try? await ends.haveNumbersBegunAgain(by: deadline) else { return }
        guard haveNumbersBegunAgain.replace(with: haveBegun) != haveBegun else { return }
        if haveBegun {
            log.error(
                "ends are not followed: transaction numbers began again",
                .field("next", "raise the epoch of the log (Production.md, Backups)")
            )
        } else {
            log.notice("ends are followed again")
        }
    }
}
