import Publishing
import Runtime

// @unchecked: touched by the one thread that runs the simulation.
/// `chancery.revocations`, compacted: the last record of each key.
///
/// A connection ends with its era.
final class SimulatedSink: RevocationSink, @unchecked Sendable {
    private let installation: Installation
    private let process: SimulatedProcess
    private var topic: SimulatedTopic { installation.topic }
    private var connection: (era: Int, place: RevocationPlace)?

    init(_ installation: Installation, _ process: SimulatedProcess) {
        self.installation = installation
        self.process = process
    }

    func place() async throws(ProjectionTrouble) -> RevocationPlace {
        if let connection, connection.era == topic.era { return connection.place }
        return try await ask { [self] in
            let ends = TopicEnds(lows: [0: 0], highs: [0: Int64(topic.told.count)])
            let place = RevocationPlace(cluster: topic.clusterID, ends: ends)
            connection = (topic.era, place)
            return .success(place)
        }
    }

    func leave() async { connection = nil }

    func publish(
        _ records: [RevocationRecord]
    ) async throws(ProjectionTrouble) -> [Int32: Int64] {
        try await change { [installation, topic] in
            for record in records {
                topic.tell(.revocation(record))
                installation.checks.revocations.hears(record)
            }
        }
    }

    func bury(_ keys: [String]) async throws(ProjectionTrouble) {
        _ = try await change { [installation, topic] in
            for key in keys {
                topic.tell(.buried(key: key))
                installation.checks.revocations.loses(key)
            }
        }
    }

    func publish(_ watermark: LogWatermark) async throws(ProjectionTrouble) {
        _ = try await change { [self] in
            topic.tell(.watermark)
            installation.checks.model.hears(watermark, installation.database, topic)
            installation.checks.revocations.hears(watermark)
        }
    }

    private func change(
        _ serve: @escaping () -> Void
    ) async throws(ProjectionTrouble) -> [Int32: Int64] {
        let ends = try await ask { [self] () -> Result<[Int32: Int64], ProjectionTrouble> in
            guard connection?.era == topic.era else { return .failure(.unavailable) }
            serve()
            return .success([0: Int64(topic.told.count)])
        }
        connection?.place.ends.move(to: ends)
        return ends
    }

    private func ask<Answer: Sendable>(
        _ serve: @escaping () -> Result<Answer, ProjectionTrouble>
    ) async throws(ProjectionTrouble) -> Answer {
        guard !topic.isAway else { throw .unavailable }
        let faults = ConnectionFaults<ProjectionTrouble>(
            notConnected: .unavailable,
            lost: .unavailable
        )
        let result: Result<Answer, ProjectionTrouble> = try await topic.world.ask(
            from: process,
            to: .kafka,
            faults
        ) { answer in answer(serve()) }
        return try result.get()
    }
}
