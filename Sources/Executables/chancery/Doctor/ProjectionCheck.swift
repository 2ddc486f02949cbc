import Configuration
import Persistence
import Runtime

/// The read model of revocations: whether it is complete, and what stops it.
struct ProjectionCheck: Sendable {
    /// Older claims make consumers introspect or refuse.
    private static let lagSecondsMax: Int64 = 30
    /// What clocks may differ by.
    private static let aheadSecondsMax: Int64 = 2

    let settings: OperatorSettings
    let user: String?

    func diagnoses(on loop: Loop) async -> [Diagnosis] {
        let facts: ProjectionFacts
        do throws(CommandFailure) {
            let inspection = try await DatabaseInspection(
                try settings.address(user: user),
                on: loop
            )
            defer { inspection.close() }
            facts = try await inspection.projection()
        } catch {
            return [
                .warning(
                    "the read model of revocations could not be looked at: \(error.sentence)",
                    "The role needs to be in log_reader, and the schema current."
                )
            ]
        }
        return diagnoses(of: facts)
    }

    private func diagnoses(of facts: ProjectionFacts) -> [Diagnosis] {
        guard let frontier = facts.frontier else {
            return [
                .warning(
                    "the read model of revocations is empty: no projector has run",
                    "Start revocation-projector."
                )
            ]
        }
        var found: [Diagnosis] = []
        if facts.blockedCount > 0 {
            found.append(
                .fault(
                    "\(facts.blockedCount) keys are stopped; the first: "
                        + (facts.firstBlocked ?? "unknown"),
                    "A newer revocation-projector reads them by itself. A record that is none of "
                        + "ours: stop who writes it, then chancery replay revocation."
                )
            )
        }
        if let lag = facts.lagSeconds, lag < -Self.aheadSecondsMax {
            found.append(
                .fault(
                    "revocations are said to be complete up to a time that has not come: \(-lag) s",
                    "A clock was wrong. Set it right; it passes when a newer claim comes."
                )
            )
            return found
        }
        guard let lag = facts.lagSeconds, lag <= Self.lagSecondsMax else {
            let age = facts.lagSeconds.map { "\($0) s old" } ?? "not there yet"
            found.append(
                .fault(
                    "the feed's watermark is \(age); applied to \(frontier) of \(facts.head)",
                    "Are event-relay and revocation-projector running? /readyz says what is wrong."
                )
            )
            return found
        }
        found.append(.ok("revocations are complete but for the last \(max(0, lag)) s"))
        return found
    }
}
