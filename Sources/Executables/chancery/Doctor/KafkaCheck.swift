import Configuration
import Runtime

/// Kafka: reachable, of the right kind, with our topics as they have to be.
struct KafkaCheck: Sendable {
    let settings: OperatorSettings

    func diagnoses() async -> [Diagnosis] {
        let topics = Topics(settings.kafka)
        var found = settings.allowed.map { Diagnosis.development($0.line(in: settings.path)) }
        if settings.kafka.hidesIdentity {
            found.append(
                .warning(
                    "the brokers are not shown who this is: kafka.tls_certificate_file is not set",
                    "Give each process and this command a certificate of its own, and on the "
                        + "brokers its rights; until then whoever reaches them may write."
                )
            )
        }
        do throws(CommandFailure) {
            let id = try await topics.clusterID()
            found.append(.ok("Kafka answers at \(settings.kafka.bootstrap), cluster \(id)"))
            if id.hasPrefix("mockCluster") {
                found.append(
                    .warning(
                        "the broker is dev-broker: in memory, without compaction",
                        "For development only; name real brokers in section kafka."
                    )
                )
            }
            if settings.kafka.topology == .singleNode {
                found.append(
                    .warning(
                        "kafka.topology is single-node: one copy of every record",
                        "Right on one machine: lost events are published again from PostgreSQL, "
                            + "lost revocations to another name (kafka.revocations_topic)."
                    )
                )
            }
            found += try await topics.diagnoses()
        } catch {
            found.append(.fault(error.sentence, error.remedy ?? "Look at section kafka."))
        }
        return found.map { $0.of(8) }
    }
}
