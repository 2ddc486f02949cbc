internal import Domain
internal import Runtime

/// Times as people read them.
enum CivilText {
    private static let months = [
        "January", "February", "March", "April", "May", "June", "July", "August", "September",
        "October", "November", "December",
    ]

    /// `21 November 2026, 03:47 UTC`.
    static func minute(_ instant: Instant) -> String {
        let time = CivilTime(microseconds: instant.microseconds)
        let month = months[(time.month - 1) % 12]
        return "\(time.day) \(month) \(time.year), \(two(time.hour)):\(two(time.minute)) UTC"
    }

    private static func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
