internal import Domain
internal import Issuing
internal import OAuth

/// Where a reader of the feed is: a log and a number, with a digest against damage.
///
/// It grants nothing: every request carries a token that may read everything. So the digest needs
/// no key, and every node accepts the cursors of the others.
struct FeedCursor: Sendable {
    private static let label = Array("chancery-feed-cursor-1".utf8)
    private static let digestBytes = 8

    private let digester: any Digester

    init(_ digester: any Digester) { self.digester = digester }

    func write(_ log: StreamID, _ index: Int64) -> [UInt8] {
        let place = Self.place(log, index)
        return Array(Base64URL.text(place + digest(place)).utf8)
    }

    /// Nil unless it is one of ours, unaltered.
    func read(_ text: [UInt8]) -> (log: StreamID, index: Int64)? {
        guard text.count <= 64, let bytes = Base64URL.decode(text[...]),
            bytes.count == 24 + Self.digestBytes
        else { return nil }
        let place = Array(bytes.prefix(24))
        guard digest(place).elementsEqual(bytes.suffix(Self.digestBytes)),
            let log = StreamID(bytes: place.prefix(16))
        else { return nil }
        let index = place.suffix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return (log, Int64(bitPattern: index))
    }

    private func digest(_ place: [UInt8]) -> [UInt8] {
        Array(digester.sha256(Self.label + place).bytes.prefix(Self.digestBytes))
    }

    private static func place(_ log: StreamID, _ index: Int64) -> [UInt8] {
        let bits = UInt64(bitPattern: index)
        let number = (0..<8).map { UInt8(truncatingIfNeeded: bits >> UInt64(56 - 8 * $0)) }
        return log.bytes + number
    }
}
