package import Domain

/// What can be read of a user beside the log, and the keys that make its sealed members readable.
package protocol PersonalData: Sendable {
    /// Destroys the keys, then deletes what is kept in the clear; all of it is gone on return.
    ///
    /// Doing it again is no error.
    func destroy(of subject: SubjectID, by deadline: Deadline) async throws(StoreError)
}
