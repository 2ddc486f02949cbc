import Domain
import InMemory
import Publishing

@testable import WebAPI

extension Target {
    /// A cursor that is taken is one that we wrote, and of those none reads as another.
    ///
    /// The first 32 bytes of an input are also a place, whose cursor is damaged by the rest.
    static let cursor = Target("cursor") { bytes in
        let cursors = FeedCursor(StandInDigester())
        if let read = cursors.read(bytes) {
            let text = cursors.write(page(read.model, read.place))
            precondition(text == bytes, "two texts of one cursor")
        }
        guard bytes.count >= 32, let model = StreamID(bytes: bytes.prefix(16)) else { return false }
        let place = FeedPlace(
            index: Int64(bigEndian: bytes.span.extracting(16..<24)),
            late: Int64(bigEndian: bytes.span.extracting(24..<32))
        )
        let text = cursors.write(page(model, place))
        guard let own = cursors.read(text) else { preconditionFailure("ours is not read") }
        precondition(own.model == model && own.place == place, "a cursor reads as another")
        for (index, byte) in bytes.dropFirst(32).enumerated() where byte != 0 {
            var damaged = text
            damaged[index % text.count] ^= byte
            precondition(cursors.read(damaged) == nil, "a damaged cursor is read")
        }
        return true
    }

    private static func page(_ model: StreamID, _ next: FeedPlace) -> RevocationPage {
        RevocationPage(items: [], model: model, late: next.late, next: next, watermark: nil)
    }
}
