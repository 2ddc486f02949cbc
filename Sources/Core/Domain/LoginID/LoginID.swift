/// An e-mail address of a project and the subject it belongs to (Events 8.2).
package enum LoginID {
    package enum State: Hashable, Sendable {
        case free
        case claimed(by: SubjectID)
    }

    package enum Kind: String, Hashable, Sendable, CaseIterable { case email }

    package enum ReleaseReason: String, Hashable, Sendable, CaseIterable {
        case changed, erasure
    }

    package enum Command: Sendable {
        case claim(by: SubjectID, kind: Kind, value: Sealed)
        case release(by: SubjectID, ReleaseReason)
    }

    package enum Event: Hashable, Sendable {
        case claimed(by: SubjectID, kind: Kind, value: Sealed)
        case released(by: SubjectID, ReleaseReason)
    }

    package enum Rejection: Error { case taken, notTheirs }
}
