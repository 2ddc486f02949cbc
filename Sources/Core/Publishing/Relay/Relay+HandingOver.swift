extension Relay {
    /// Ends the term of a relay for which Kafka does nothing (decision 0197).
    ///
    /// To be asked when all that has arrived was noticed: a process that stood still has not
    /// looked.
    mutating func losePatience() throws(RelayTrouble) {
        let now = clock.nanoseconds
        active?.patience.look(at: now)
        if active?.isOwedNothing == true { active?.patience.answered(at: now) }
        var limit = KafkaPatience.nanoseconds(afterHandOvers: fruitlessHandOvers)
        // Whoever came next would begin it from its start, and lose what has arrived.
        if case .replaying(let replay) = active?.phase, replay.hasArrived {
            limit = KafkaPatience.nanoseconds(afterHandOvers: .max)
        }
        if active?.patience.isOver(at: now, after: limit) == true { throw .kafkaSilent }
    }

    /// Leaves the lead to one that may have Kafka.
    mutating func handOver() async {
        status.role = .standby
        status.isWithoutKafka = true
        status.handOverCount += 1
        fruitlessHandOvers += 1
        if let next = active?.cursor.nextIndex { handedOverIndex = next }
        handedOverAt = clock.nanoseconds
        await end()
    }

    /// Asks for the lead again when Kafka answers, and not before others could take it.
    mutating func awaitKafka() async throws(RelayTrouble) {
        // As whoever stands by; and its readiness tells of its database and clock, not of a rest.
        do { _ = try await log.deposeHolder(silentFor: Self.silenceMax) } catch {
            throw .log(error)
        }
        _ = try await fence()
        await clock.pause(.seconds(1))
        guard clock.nanoseconds >= handedOverAt + KafkaPatience.restNanoseconds else { return }
        _ = try await fromKafka { () throws(PublisherError) in try await publisher.clusterID() }
        // Another may lead: no connection stays open beside its own.
        await publisher.renew()
        status.isWithoutKafka = false
    }
}
