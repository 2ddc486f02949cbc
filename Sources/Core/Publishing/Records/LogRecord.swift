package import Domain
package import EventFormat

/// A record of `chancery.events` as a reader understands it (Events 10.2).
package enum LogRecord: Hashable, Sendable {
    /// An event.
    case event(PublishedPlace)
    /// How far the log is complete.
    case watermark(LogWatermark)
    /// Not one of ours, or damaged.
    case foreign

    /// Reads the headers of a record, and the value of a watermark.
    package init(_ record: PublishedRecord) {
        guard let log = record.headers.value("ce_source", { PublishedForm.log($0) }),
            let type = record[header: "ce_type"]
        else {
            self = .foreign
            return
        }
        if type == LogWatermark.type {
            self = LogWatermark(of: log, value: record.value).map(Self.watermark) ?? .foreign
        } else {
            self = PublishedPlace(of: log, type: type, record).map(Self.event) ?? .foreign
        }
    }

    /// Which log it belongs to.
    package var log: StreamID? {
        switch self {
        case .event(let event): event.log
        case .watermark(let watermark): watermark.log
        case .foreign: nil
        }
    }

    /// The number of `log` it tells of; nil when it is not that log's.
    package func index(of log: StreamID) -> Int64? {
        switch self {
        case .event(let event) where event.log == log: event.index
        case .watermark(let watermark) where watermark.log == log: watermark.index
        case .event, .watermark, .foreign: nil
        }
    }
}
