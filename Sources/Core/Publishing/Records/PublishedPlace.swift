package import Domain
internal import EventFormat
internal import OAuth

/// Where a published event stands, by its headers (events.md section 10.2).
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
        guard let sequence = record[header: "ce_sequence"], sequence.count == 20,
            let index = Self.number(sequence),
            let hash = record[header: "ce_eventhash"].flatMap(Hexadecimal.decode)
                .flatMap({ TokenDigest(bytes: $0) })
        else { return nil }
        self.log = log
        self.index = index
        self.type = type
        self.hash = EventHash(digest: hash)
        stream = record[header: "ce_stream"].flatMap { StreamID(text: $0) }
        version = record[header: "ce_streamversion"].flatMap(Self.number)
            .flatMap { Int32(exactly: $0) }
        guard (stream == nil) == (version == nil) else { return nil }
    }

    private static func number(_ digits: [UInt8]) -> Int64? {
        guard !digits.isEmpty else { return nil }
        var number: Int64 = 0
        for digit in digits {
            guard 0x30...0x39 ~= digit else { return nil }
            let (tens, overflow) = number.multipliedReportingOverflow(by: 10)
            let (sum, carry) = tens.addingReportingOverflow(Int64(digit - 0x30))
            guard !overflow, !carry else { return nil }
            number = sum
        }
        return number
    }
}
