package import Domain
internal import EventFormat

/// Where a published event stands, by its headers (Events 10.2).
package struct PublishedPlace: Hashable, Sendable {
    /// The log it belongs to.
    package var log: StreamID
    /// Its place in the published order: the number for dedupe and order.
    package var index: Int64
    /// `chancery.<stored name>`, ASCII.
    package var type: [UInt8]
    /// Its hash.
    package var hash: EventHash
    /// Its stream; nil for those whose stream is a keyed hash of an address.
    package var stream: StreamID?
    /// Its version in the stream, with the stream.
    package var version: Int32?

    /// Nil when a header that every event has is absent or malformed.
    init?(of log: StreamID, type: [UInt8], _ record: PublishedRecord) {
        let headers = record.headers
        guard
            let index = headers.value("ce_sequence", { PublishedForm.integer($0, digits: 20) }),
            let hash = headers.value("ce_eventhash", { PublishedForm.hash($0) })
        else { return nil }
        self.log = log
        self.index = index
        self.type = type
        self.hash = hash
        stream = headers.value("ce_stream") { StreamID(text: $0) }
        version = headers.value("ce_streamversion") {
            PublishedForm.integer($0).flatMap { Int32(exactly: $0) }
        }
        guard (stream == nil) == (version == nil) else { return nil }
    }
}
