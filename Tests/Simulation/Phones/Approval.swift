import Domain

/// How a login was approved, as far as a client's policy asks (WireContract 7.3).
enum Approval: Sendable {
    /// Before that was recorded.
    case unrecorded
    /// On another device, by a button alone.
    case tap
    /// On another device, by the number that the waiting page shows.
    case number
    /// On the device that asked.
    case here

    /// As the log has it.
    var recorded: LoginLink.Approval? {
        switch self {
        case .unrecorded: nil
        case .tap: .anyDevice
        case .number: .number
        case .here: .sameDevice
        }
    }

    /// Any of them; two in five are on the device that asked.
    static func drawn(by dice: inout Dice) -> Self {
        switch dice.draw(20) {
        case 0...2: .unrecorded
        case 3...7: .tap
        case 8...11: .number
        default: .here
        }
    }
}
