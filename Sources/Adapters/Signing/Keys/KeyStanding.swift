/// What a second key is to the current one, while it is replaced; root secrets keep the number.
package enum KeyStanding: UInt8, Hashable, Sendable, CaseIterable {
    /// Becomes the current one.
    case next = 1
    /// Was the current one.
    case former = 2

    /// As people, settings and metrics call it.
    package var name: String {
        switch self {
        case .next: "next"
        case .former: "former"
        }
    }
}
