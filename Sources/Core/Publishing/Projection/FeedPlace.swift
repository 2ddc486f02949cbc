/// Where a reader of the feed stands in a read model.
package struct FeedPlace: Hashable, Sendable {
    /// It has every revocation up to this number.
    package var index: Int64
    /// Of those that came late, it has all up to this one.
    package var late: Int64

    /// Names a place.
    package init(index: Int64, late: Int64) {
        self.index = index
        self.late = late
    }
}
