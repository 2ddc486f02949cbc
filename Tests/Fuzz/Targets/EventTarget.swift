import Domain
import EventFormat

extension Target {
    /// An event that was read is read again from what is written.
    ///
    /// An input is the number of its type, a line feed, and the payload.
    static let event = Target("event") { bytes in
        guard let end = bytes.firstIndex(of: UInt8(ascii: "\n")),
            let type = Int16(String(decoding: bytes[..<end], as: UTF8.self))
        else { return false }
        let columns = StoredColumns(
            occurredAt: Instant(milliseconds: 1_795_232_554_473),
            subject: SubjectID(StreamID(high: 1, low: 2)),
            session: SessionID(StreamID(high: 3, low: 4)),
            client: StreamID(high: 5, low: 6)
        )
        let payload = Array(bytes[(end + 1)...])
        guard let event = try? EventFormat.decode(type: type, payload: payload, columns: columns)
        else { return false }
        let written = EventFormat.encode(event)
        let again = try? EventFormat.decode(
            type: written.type,
            payload: written.payload,
            columns: columns
        )
        precondition(again == event, "an event changes when it is written")
        return true
    }
}
