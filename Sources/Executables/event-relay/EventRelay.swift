internal import Assembly

/// The process that publishes the log: from PostgreSQL to Kafka, in order, under dense numbers.
@main enum EventRelay {
    static func main() {
        ProcessFrame.run(
            Wiring.self,
            "event-relay",
            "Publishes the event log to Kafka; one per database is active."
        )
    }
}
