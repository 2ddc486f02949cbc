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

    private let rebuild: PostgresRebuild
    private let reader: EventReader
    private let loop: Loop

    init(
        _ settings: OperatorSettings,
        user: String?,
        on loop: Loop
    ) throws(CommandFailure) {
        self.loop = loop
        rebuild = PostgresRebuild(
            try settings.address(user: user).settings,
            topic: settings.kafka.eventsTopic,
            on: loop
        )
        reader = EventReader(
            EventTopic(
                ClientSettings(settings.kafka, clientID: "chancery"),
                name: settings.kafka.eventsTopic
            ),
            partitions: TopicRules.partitions,
            on: loop,
            blocking: BlockingExecutor(),
            allowsDevelopmentBroker: true
        )
    }

    func close() { rebuild.close() }

    /// `tell` hears of the progress once a second: events done, events in all, events a second.
    func run(
        restart: Bool,
        _ tell: (_ done: Int64, _ head: Int64, _ rate: Int64) -> Void
    ) async throws(CommandFailure) -> Outcome {
        let begin: PostgresRebuild.Progress
        do throws(PostgresError) { begin = try await rebuild.begin(restart: restart) } catch {
            throw Self.failure(error)
        }
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
                remedy: "The read model in service is unchanged; try again when the brokers answer."
            )
        }
        var end: PostgresRebuild.Progress
        do throws(PostgresError) { end = try await fill(begin, upTo: target, tell) } catch {
            throw Self.failure(error)
        }
        for _ in 0..<Self.finishTriesMax {
            try Self.refuseIncomplete(end, target)
            do throws(PostgresError) {
                if let difference = try await rebuild.finish(on: cluster, offsets: ends.highs) {
                    return Outcome(
                        generation: end.generation,
                        events: end.frontier - begin.frontier,
                        added: difference.added,
                        gone: difference.gone
                    )
                }
            } catch { throw Self.failure(error, switchingTo: end.generation) }
            try? await loop.sleep(until: .now().advanced(by: .milliseconds(100)))
            do throws(PostgresError) { end = try await fill(end, upTo: target, tell) } catch {
                throw Self.failure(error)
            }
        }
        throw CommandFailure(
            "the projector in service stays ahead of what the relay has recorded",
            remedy: "What is made is kept: the same command goes on, better with less load."
        )
    }

    /// Up to the head, and up to what Kafka shows, as soon as the relay has recorded it.
    private func fill(
        _ begin: PostgresRebuild.Progress,
        upTo target: Int64,
        _ tell: (_ done: Int64, _ head: Int64, _ rate: Int64) -> Void
    ) async throws(PostgresError) -> PostgresRebuild.Progress {
        var progress = begin
        var lastLook = MonotonicInstant.now()
        let limit = lastLook.advanced(by: Self.relayWaitMax)
        while true {
            let isMore = try await rebuild.step(
                now: Instant(microseconds: WallTime.nowMicroseconds())
            )
            let now = MonotonicInstant.now()
            if isMore, now < lastLook.advanced(by: .seconds(1)) { continue }
            let before = progress.frontier
            progress = try await rebuild.look()
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

    private static func failure(
        _ error: PostgresError,
        switchingTo generation: Int32
    ) -> CommandFailure {
        guard error.isOutcomeUnknown else { return failure(error) }
        return CommandFailure(
            "PostgreSQL: \(error)",
            remedy: "Generation \(generation) may be in service: SELECT generation FROM "
                + "revocation.progress says which is."
        )
    }

    private static func failure(_ error: PostgresError) -> CommandFailure {
        CommandFailure(
            "PostgreSQL: \(error)",
            remedy: "The read model in service is unchanged; the same command goes on."
        )
    }
}
