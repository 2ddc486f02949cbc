package import Domain

/// One answer of the revocation feed.
package struct RevocationPage: Hashable, Sendable {
    /// Items of one project, by ascending number.
    package var items: [RevocationRecord]
    /// The log they are of.
    package var log: StreamID
    /// Where the reader stands after them.
    package var next: FeedPlace
    /// How far the read model is complete; nil before the first watermark.
    package var watermark: LogWatermark?

    /// Puts a page together.
    package init(
        items: [RevocationRecord],
        log: StreamID,
        next: FeedPlace,
        watermark: LogWatermark?
    ) {
        self.items = items
        self.log = log
        self.next = next
        self.watermark = watermark
    }
}
