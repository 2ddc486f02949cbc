/// What a reader fetches and how long a broker may hold a fetch that finds nothing.
package struct ReaderSettings: Hashable, Sendable {
    /// Records fetched ahead, in all partitions together, in KiB.
    package static let fetchedAheadKiBMax = 16 * 1024

    /// How to reach the brokers.
    package var client: KafkaClientSettings
    /// The topic.
    package var topic: String
    /// How long a broker holds an empty fetch, in ms.
    ///
    /// 500 on a real broker, which answers as soon as there is a record; 5 on the development
    /// broker, which always waits the whole time.
    package var fetchWaitMilliseconds: Int
    /// A broker holds a fetch, for that time at most, until it has so many bytes for it.
    ///
    /// With 1 it answers each record by itself, under load with a request for every one: a quarter
    /// of a CPU of the broker for each reader at 2,000 records/s.
    package var fetchBytesMin: Int

    /// Names a topic.
    package init(
        _ client: KafkaClientSettings,
        topic: String,
        fetchWaitMilliseconds: Int = 500,
        fetchBytesMin: Int = 1
    ) {
        self.client = client
        self.topic = topic
        self.fetchWaitMilliseconds = fetchWaitMilliseconds
        self.fetchBytesMin = fetchBytesMin
    }

    var properties: [String: String] {
        let own = [
            // Asked for by the library; nothing ever joins it, and no right to it is needed.
            "group.id": client.clientID,
            "enable.auto.commit": "false",
            "enable.auto.offset.store": "false",
            // A hole in the log must be seen, never skipped.
            "auto.offset.reset": "error",
            "enable.partition.eof": "true",
            "fetch.wait.max.ms": String(fetchWaitMilliseconds),
            "fetch.min.bytes": String(fetchBytesMin),
            "fetch.error.backoff.ms": "100",
            // A full queue makes librdkafka pause for a second; bytes bound it, not records.
            "queued.min.messages": "1000000",
            "queued.max.messages.kbytes": String(Self.fetchedAheadKiBMax),
        ]
        return client.properties.merging(own) { $1 }
    }
}
