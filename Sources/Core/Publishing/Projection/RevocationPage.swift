package import Domain

/// One answer of the revocation feed.
package struct RevocationPage: Hashable, Sendable {
    /// Items of one project, by ascending number.
    package var items: [RevocationRecord]
    /// The log they are of.
    package var log: StreamID
    /// Where the reader stands after them.
    package var next: FeedPlace
    /// How far the reader is complete after this page; nil before the first watermark, and when
    /// there are further pages.
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
