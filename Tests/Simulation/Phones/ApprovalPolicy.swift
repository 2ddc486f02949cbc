import Domain

/// Which logins a client takes, whoever asked for them (WireContract 7.3).
enum ApprovalPolicy: CaseIterable, Sendable {
    case automatic, confirm, deny

    func takes(_ approval: Approval) -> Bool {
        switch approval {
        case .here: true
        case .number: self != .deny
        case .tap, .unrecorded: self == .automatic
        }
    }

    /// In the client's settings.
    var mode: LoginLink.Mode {
        switch self {
        case .automatic: .automatic
        case .confirm: .confirm
        case .deny: .deny
        }
    }
}
