package import Domain
internal import OAuth

/// The 16 bytes that tie a request to its response, log lines and events (WireContract 1.1).
package struct RequestID: Hashable, Sendable {
    /// As a correlation id of events.
    package let stream: StreamID

    package init(_ stream: StreamID) { self.stream = stream }

    /// 32 lower-case hexadecimal digits.
    package var text: String {
        var text: [UInt8] = []
        append(to: &text)
        return String(decoding: text, as: UTF8.self)
    }

    func append(to text: inout [UInt8]) {
        Hexadecimal.append(stream.high, to: &text)
        Hexadecimal.append(stream.low, to: &text)
    }

    /// The trace id of a `traceparent` header (W3C Trace Context section 3.2.2).
    ///
    /// Nil unless it is version 00, well-formed and not all zeros.
    package init?(traceparent: [UInt8]) {
        let parts = traceparent.split(
            separator: UInt8(ascii: "-"),
            omittingEmptySubsequences: false
        )
        guard parts.count == 4, parts[0].elementsEqual("00".utf8),
            parts[1].count == 32, parts[2].count == 16, parts[3].count == 2,
            let trace = Hexadecimal.decode(Array(parts[1])),
            let parent = Hexadecimal.decode(Array(parts[2])),
            Hexadecimal.decode(Array(parts[3])) != nil,
            trace.contains(where: { $0 != 0 }), parent.contains(where: { $0 != 0 }),
            let stream = StreamID(bytes: trace)
        else { return nil }
        self.stream = stream
    }
}
