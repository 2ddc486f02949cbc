import Publishing
import Runtime

// @unchecked: touched by the one thread that runs the simulation.
/// `chancery.revocations`, compacted: the last record of each key.
///
/// A connection ends with its cluster.
final class SimulatedSink: RevocationSink, @unchecked Sendable {
    private let installation: Installation
    private let process: SimulatedProcess
    private var topic: SimulatedTopic { installation.topic }
    private var boundTo: Int?

    init(_ installation: Installation, _ process: SimulatedProcess) {
        self.installation = installation
        self.process = process
    }

    func clusterID() async throws(ProjectionTrouble) -> String {
        if let boundTo, boundTo == topic.cluster { return topic.clusterID }
        return try await ask { [self] in
            boundTo = topic.cluster
            return .success(topic.clusterID)
        }
    }

    func leave() async { boundTo = nil }

    func publish(_ records: [RevocationRecord]) async throws(ProjectionTrouble) {
        try await change { [installation, topic] in
            for record in records {
                topic.revocations[record.key] = record
                installation.checks.revocations.hears(record)
            }
        }
    }

    func bury(_ keys: [String]) async throws(ProjectionTrouble) {
        try await change { [installation, topic] in
            for key in keys {
                topic.revocations[key] = nil
                installation.checks.revocations.loses(key)
            }
        }
    }

    func publish(_ watermark: LogWatermark) async throws(ProjectionTrouble) {
        try await change { [self] in
            installation.checks.model.hears(watermark, installation.database, topic)
            installation.checks.revocations.hears(watermark)
        }
    }

    private func change(_ serve: @escaping () -> Void) async throws(ProjectionTrouble) {
        try await ask { [self] () -> Result<Void, ProjectionTrouble> in
            guard boundTo == topic.cluster else { return .failure(.unavailable) }
            serve()
            return .success(())
        }
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
