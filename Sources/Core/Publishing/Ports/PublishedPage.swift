/// A page of the published order.
package struct PublishedPage: Sendable {
    /// Numbers whose events are gone with their partition are left out; it may be all of them.
    package var rows: [NumberedRow]
    /// The number that comes after this page.
    package var next: Int64

    /// What was found below `next`.
    package init(rows: [NumberedRow], next: Int64) {
        self.rows = rows
        self.next = next
    }
}
