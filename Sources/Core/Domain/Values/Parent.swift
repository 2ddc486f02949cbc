/// What an opening event came from (Events 7, lineage).
package struct Parent: Hashable, Sendable {
    package enum Kind: String, Hashable, Sendable, CaseIterable {
        case authorization, code, session
        case loginLink = "login_link"
        case biometricKey = "biometric_key"
    }

    package var kind: Kind
    package var stream: StreamID

    package init(kind: Kind, stream: StreamID) {
        self.kind = kind
        self.stream = stream
    }
}
