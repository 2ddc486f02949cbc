/// One answer of the revocation feed.
package struct RevocationPage: Hashable, Sendable {
    /// Items of one project, by ascending number.
    package var items: [RevocationRecord]
    /// Nothing up to this number is missing from the read model, in any project.
    package var frontier: Int64
    /// How far the read model is complete; nil before the first watermark.
    package var watermark: LogWatermark?

    /// Puts a page together.
    package init(items: [RevocationRecord], frontier: Int64, watermark: LogWatermark?) {
        self.items = items
        self.frontier = frontier
        self.watermark = watermark
    }
}
