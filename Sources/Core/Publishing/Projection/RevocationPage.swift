package import Domain
internal import OAuth

/// One answer of the revocation feed.
package struct RevocationPage: Hashable, Sendable {
    /// How many items it has.
    package let count: Int
    /// They as the answer has them (WireContract 12.1), written once for all who share the page.
    package let rendered: [UInt8]
    /// The read model that they are of: a place in another one says nothing here.
    package var model: StreamID
    /// How many have come late in all; less than a reader knows of is another count.
    package var late: Int64
    /// Where the reader stands after them.
    package var next: FeedPlace
    /// How far the reader is complete after this page; nil before the first watermark, and when
    /// there are further pages.
    package var watermark: LogWatermark?

    /// Puts a page together; the items are of one project, by ascending number.
    package init(
        items: [RevocationRecord],
        model: StreamID,
        late: Int64,
        next: FeedPlace,
        watermark: LogWatermark?
    ) {
        count = items.count
        rendered = Self.render(items)
        self.model = model
        self.late = late
        self.next = next
        self.watermark = watermark
    }

    /// Whether it calls its reader complete up to a later time than `other` does.
    package func claimsMore(than other: Self) -> Bool {
        guard let through = watermark?.completeThrough else { return false }
        return other.watermark.map { $0.completeThrough < through } ?? true
    }

    private static func render(_ items: [RevocationRecord]) -> [UInt8] {
        var writer = JSONWriter(reserving: 16 + items.count * 320)
        writer.array { writer in
            for item in items { writer.rendered(item.item) }
        }
        return writer.bytes
    }
}
