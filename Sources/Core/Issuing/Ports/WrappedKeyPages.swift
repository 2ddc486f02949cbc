package import Domain

/// Sealing keys page by page, for another key encryption key to take over (decision 0206).
package protocol WrappedKeyPages: Sendable {
    /// Of the next 500 keys behind `last` that are not destroyed, by id, those that another than
    /// `version` wrapped, and the last in any case; none behind the end.
    ///
    /// So many that nothing waits long, however few of them are found.
    func page(otherThan version: Int32, after last: StreamID?, by deadline: Deadline)
        async throws(StoreError) -> [WrappedSealingKey]

    /// Puts each `anew` in the place of its `found`; one that has changed since, or was destroyed,
    /// stays as it is.
    ///
    /// - Returns: how many were replaced, as far as that is known.
    func replace(_ keys: [RewrappedKey], by deadline: Deadline) async throws(StoreError) -> Int
}
