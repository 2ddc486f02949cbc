internal import Domain
internal import Issuing
internal import OAuth
internal import Publishing

/// Where a reader of the feed is: a read model and a place in it, with a digest against damage.
///
/// It grants nothing: every request carries a token that may read everything. So the digest needs
/// no key, and every node accepts the cursors of the others.
struct FeedCursor: Sendable {
    private static let label = Array("chancery-feed-cursor-1".utf8)
    private static let placeBytes = 32
    private static let digestBytes = 8

    private let digester: any Digester

    /// What a cursor says.
    struct Position: Sendable {
        let model: StreamID
        let place: FeedPlace

        /// Whether the place is one of the model that `page` is from: it was not made anew since,
        /// nor does it count again what came late.
        func isOf(_ page: RevocationPage) -> Bool {
            model == page.model && place.late <= page.late
        }
    }

    init(_ digester: any Digester) { self.digester = digester }

    /// The cursor behind `page`.
    func write(_ page: RevocationPage) -> [UInt8] {
        let place = page.next
        var bytes = page.model.bytes
        bytes.append(bigEndian: UInt64(bitPattern: place.index))
        bytes.append(bigEndian: UInt64(bitPattern: place.late))
        return Array(Base64URL.text(bytes + digest(bytes)).utf8)
    }

    /// Nil unless it is one of ours, unaltered.
    func read(_ text: [UInt8]) -> Position? {
        guard text.count <= 64, let bytes = Base64URL.decode(text[...]),
            bytes.count == Self.placeBytes + Self.digestBytes
        else { return nil }
        let place = Array(bytes.prefix(Self.placeBytes))
        guard digest(place).elementsEqual(bytes.suffix(Self.digestBytes)),
            let model = StreamID(bytes: place.prefix(16))
        else { return nil }
        return Position(
            model: model,
            place: FeedPlace(
                index: Int64(bigEndian: place.span.extracting(16..<24)),
                late: Int64(bigEndian: place.span.extracting(24..<32))
            )
        )
    }

    private func digest(_ place: [UInt8]) -> [UInt8] {
        Array(digester.sha256(Self.label + place).bytes.prefix(Self.digestBytes))
    }
}
