package import Domain
package import EventFormat
internal import OAuth

/// How far a log is complete: every event up to a time, and up to a number, stands before it.
package struct LogWatermark: Hashable, Sendable {
    /// The `ce_type` of its record.
    package static let type = Array("chancery.log.watermark.v1".utf8)

    /// The log it speaks of.
    package var log: StreamID
    /// Every event decided up to here is published.
    package var completeThrough: Instant
    /// The last number given; -1 before the first.
    package var index: Int64

    /// States how far a log is complete.
    package init(log: StreamID, completeThrough: Instant, index: Int64) {
        self.log = log
        self.completeThrough = completeThrough
        self.index = index
    }

    /// Reads the value of a record; nil unless it is one of ours.
    init?(of log: StreamID, value: [UInt8]) {
        guard let json = try? CanonicalJSON.read(value),
            let milliseconds = json["complete_through_at"]?.integer,
            let index = json["log_index"]?.integer, index >= -1
        else { return nil }
        self.init(log: log, completeThrough: Instant(milliseconds: milliseconds), index: index)
    }

    /// The value of its record, on either topic.
    package var value: [UInt8] {
        var writer = JSONWriter(reserving: 72)
        writer.object {
            $0.member("complete_through_at", completeThrough.milliseconds)
            $0.member("log_index", index)
        }
        return writer.bytes
    }

    /// The record for `chancery.events`; without `ce_sequence`, so that nobody counts it.
    package func record(at now: Instant) -> PublishedRecord {
        func header(_ name: String, _ text: String) -> PublishedRecord.Header {
            PublishedRecord.Header(name, Array(text.utf8))
        }
        return PublishedRecord(
            key: [],
            headers: PublishedRecord.Headers([
                header("content-type", "application/json"),
                header("ce_specversion", "1.0"),
                header("ce_id", "watermark-\(index)-\(completeThrough.milliseconds)"),
                header("ce_source", "urn:chancery:log:\(log)"),
                PublishedRecord.Header("ce_type", Self.type),
                PublishedRecord.Header("ce_time", RFC3339.text(now)),
            ]),
            value: value
        )
    }
}
