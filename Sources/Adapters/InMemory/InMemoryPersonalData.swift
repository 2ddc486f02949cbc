package import Domain
package import Issuing
internal import Runtime

/// Remembers whose personal data was destroyed.
package final class InMemoryPersonalData: PersonalData {
    private let subjects = Guarded<[SubjectID]>([])

    package init() {}

    /// Whose, in order, with repeats.
    package var destroyed: [SubjectID] { subjects.withLock { $0 } }

    package func destroy(of subject: SubjectID, by deadline: Deadline) async throws(StoreError) {
        subjects.withLock { $0.append(subject) }
    }
}
