import Assembly
import Configuration
import Domain
import Kafka
import Messaging
import Persistence
import Postgres
import Publishing
import Runtime

/// A rebuild of the read models of revocations, from PostgreSQL, with Kafka to go on from.
struct ProjectionRebuild: Sendable {
    struct Outcome: Sendable {
        var generation: Int32
        var events: Int64
        var added: Int64
        var gone: Int64
    }

    private static let relayWaitMax = Duration.seconds(30)
    private static let finishTriesMax = 50

    private let migrator: Migrator
    private let rebuild: PostgresRebuild
    private let reader: EventReader
    private let loop: Loop

    init(
        _ settings: OperatorSettings,
        user: String?,
        on loop: Loop
    ) throws(CommandFailure) {
        self.loop = loop
        let address = try settings.address(user: user)
        migrator = Wiring.migrator(address, on: loop)
        rebuild = PostgresRebuild(
            address.settings,
            topic: settings.kafka.eventsTopic,
            on: loop
        )
        reader = EventReader(
            KafkaTopic(
                KafkaClientSettings(settings.kafka, clientID: "chancery"),
                name: settings.kafka.eventsTopic
            ),
            partitions: TopicRules.partitions,
            on: loop,
            blocking: Wiring.blocking,
            allowsDevelopmentBroker: true
        )
    }

    func close() { rebuild.close() }

    /// `tell` hears of the progress once a second: events done, events in all, events a second.
    ///
    /// `losesRevocations`: also when revocations of living tokens are in the old model alone.
    func run(
        restart: Bool,
        losesRevocations: Bool,
        _ tell: (_ done: Int64, _ head: Int64, _ rate: Int64) -> Void
    ) async throws(CommandFailure) -> Outcome {
        // The new model is a copy of the tables there are.
        try await checkSchema()
        let begin: PostgresRebuild.Progress
        do throws(PostgresError) { begin = try await rebuild.begin(restart: restart) } catch {
            throw failure(error)
        }
        try Self.refuseWrongClock(begin)
        // Once more: until the lock was held the schema could go on.
        try await checkSchema()
        // What stands before these ends has at most this number.
        let cluster: String
        let ends: TopicEnds
        let target: Int64
        do throws(ProjectionTrouble) {
            (cluster, ends) = try await reader.ends()
            target = try await reader.lastIndex(of: begin.log, before: ends)
        } catch {
            throw CommandFailure(
                "Kafka cannot be asked where to go on: \(error)",
                remedy: "The read model in service is unchanged; "
                    + "try again when the brokers answer.",
                status: error == .unavailable ? 75 : 1
            )
        }
        var end = try await fill(begin, upTo: target, tell)
        for _ in 0..<Self.finishTriesMax {
            try Self.refuseIncomplete(end, target)
            do throws(PostgresError) {
                if let difference = try await rebuild.finish(
                    on: cluster,
                    offsets: ends.highs,
                    losesRevocations: losesRevocations
                ) {
                    return Outcome(
                        generation: end.generation,
                        events: end.frontier - begin.frontier,
                        added: difference.added,
                        gone: difference.gone
                    )
                }
            } catch { throw failure(error, switchingTo: end.generation) }
            try? await loop.sleep(until: .now().advanced(by: .milliseconds(100)))
            end = try await fill(end, upTo: target, tell)
        }
        throw CommandFailure(
            "the projector in service stays ahead of what the relay has recorded",
            remedy: "What is made is kept: the same command goes on, better with less load."
        )
    }

    private func checkSchema() async throws(CommandFailure) {
        do throws(MigrationError) { try await migrator.check() } catch {
            throw CommandFailure("the schema: \(error)", status: error.exitStatus)
        }
    }

    /// Up to the head, and up to what Kafka shows, as soon as the relay has recorded it.
    private func fill(
        _ begin: PostgresRebuild.Progress,
        upTo target: Int64,
        _ tell: (_ done: Int64, _ head: Int64, _ rate: Int64) -> Void
    ) async throws(CommandFailure) -> PostgresRebuild.Progress {
        var progress = begin
        var lastLook = MonotonicInstant.now()
        let limit = lastLook.advanced(by: Self.relayWaitMax)
        while true {
            let isMore: Bool
            let before = progress.frontier
            let now: MonotonicInstant
            do throws(PostgresError) {
                isMore = try await rebuild.step()
                now = .now()
                if isMore, now < lastLook.advanced(by: .seconds(1)) { continue }
                progress = try await rebuild.look()
            } catch { throw failure(error) }
            try Self.refuseWrongClock(progress)
            let seconds = max(0.001, now.since(lastLook) / .seconds(1))
            lastLook = now
            tell(
                progress.frontier + 1,
                progress.head + 1,
                Int64(Double(progress.frontier - before) / seconds)
            )
            if isMore { continue }
            if progress.frontier >= target || now >= limit { return progress }
            try? await loop.sleep(until: now.advanced(by: .milliseconds(100)))
        }
    }

    /// What is left out as expired is gone for good (decision 0141).
    private static func refuseWrongClock(
        _ progress: PostgresRebuild.Progress
    ) throws(CommandFailure) {
        guard ClockSkew.isWrong(progress.skewMilliseconds) else { return }
        throw CommandFailure(
            "the database's clock differs from ours by \(progress.skewMilliseconds) ms",
            remedy: "Both machines need NTP. What is made is kept: the same command goes on."
        )
    }

    private static func refuseIncomplete(
        _ end: PostgresRebuild.Progress,
        _ target: Int64
    ) throws(CommandFailure) {
        guard end.frontier >= target else {
            throw CommandFailure(
                "Kafka shows event \(target), and PostgreSQL has recorded \(end.frontier)",
                remedy: "Is event-relay running? What is made is kept: the same command goes on."
            )
        }
        if let blocked = end.blocked.first {
            throw CommandFailure(
                "event \(blocked.index) of \(blocked.name) cannot be read: \(blocked.reason)",
                remedy: "A newer program can; then begin again with --restart."
            )
        }
    }

    private func failure(_ error: PostgresError, switchingTo generation: Int32) -> CommandFailure {
        if error.state == PostgresRebuild.loses {
            return CommandFailure(
                "PostgreSQL: \(error)",
                remedy: "The model in service is unchanged. If they are wrong, and not the log: "
                    + "again, with --lose-revocations."
            )
        }
        if error.state == PostgresRebuild.outdated {
            return CommandFailure(
                "PostgreSQL: \(error)",
                remedy: "The model in service is unchanged. Again, with the program of this "
                    + "schema: it begins anew."
            )
        }
        guard error.isOutcomeUnknown else { return failure(error) }
        return CommandFailure(
            "PostgreSQL: \(error)",
            remedy: "Generation \(generation) may be in service: SELECT generation FROM "
                + "revocation.progress says which is.",
            // Whoever tries again at 75 would fill another model.
            status: 1
        )
    }

    private func failure(_ error: PostgresError) -> CommandFailure {
        if error.state == .lockNotAvailable {
            let names = rebuild.lockHolders.map(\.description).joined(separator: " and ")
            return CommandFailure(
                "it waits for a lock that \(names.isEmpty ? "somebody" : names) holds; who came "
                    + "later would wait behind it, so it gave up",
                remedy: "The read model in service is unchanged. Let that transaction end, or end "
                    + "it (pg_terminate_backend); then the same command goes on.",
                status: 75
            )
        }
        if error.state == PostgresRebuild.isOther {
            return CommandFailure(
                "another `chancery replay` is under way",
                remedy: "Let it end, or end it; then the same command goes on.",
                status: 75
            )
        }
        return CommandFailure(
            "PostgreSQL: \(error)",
            remedy: "The read model in service is unchanged; the same command goes on.",
            status: error.exitStatus
        )
    }
}
