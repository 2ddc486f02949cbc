import Domain
import EventFormat
import Publishing

extension Target {
    /// A record of Kafka tells every reader the same, whatever it asks of it.
    ///
    /// An input is `name: value` a line, a line without anything, and the value.
    static let record = Target("record") { bytes in
        let record = PublishedRecord(bytes)
        switch LogRecord(record) {
        case .foreign: return false
        case .watermark(let watermark):
            let again = LogRecord(watermark.record(at: watermark.completeThrough))
            precondition(again == .watermark(watermark), "a watermark changes when it is written")
            return true
        case .event(let place):
            guard let number = ProjectNumber(1),
                let read = try? PublishedForm.read(record, project: { _ in number })
            else { return false }
            let event = read.event
            precondition(
                place.log == read.log && place.index == event.logIndex && place.hash == read.hash,
                "a record tells of two events"
            )
            let isNamed = event.stream != StreamID(high: 0, low: 0)
            precondition(
                !isNamed || place.stream == event.stream && place.version == event.version,
                "a record tells of two streams"
            )
            return true
        }
    }
}

extension PublishedRecord {
    fileprivate init(_ bytes: [UInt8]) {
        var rest = bytes[...]
        var headers: [Header] = []
        while !rest.isEmpty {
            let line = rest.prefix { $0 != UInt8(ascii: "\n") }
            rest = rest.dropFirst(line.count + 1)
            guard !line.isEmpty else { break }
            let name = line.prefix { $0 != UInt8(ascii: ":") }
            headers.append(
                Header(
                    String(decoding: name, as: UTF8.self),
                    Array(line.dropFirst(name.count + 2))
                )
            )
        }
        self.init(key: [], headers: Headers(headers), value: Array(rest))
    }
}
