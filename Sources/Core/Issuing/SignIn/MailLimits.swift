/// Limits L5 and L6 on mails, exact across nodes (Security 9); 0 switches one off.
package struct MailLimits: Hashable, Sendable {
    package var addressPerMinute = 2
    package var addressPerHour = 10
    package var addressPerDay = 40
    package var networkPerHour = 50
    package var clientPerHour = 1_000
    package var projectPerHour = 5_000

    package init() {}

    /// The limits by name, as an operator's file has them.
    package static var windows: [(name: String, limit: WritableKeyPath<Self, Int>)] {
        [
            ("address_per_minute", \.addressPerMinute), ("address_per_hour", \.addressPerHour),
            ("address_per_day", \.addressPerDay), ("network_per_hour", \.networkPerHour),
            ("client_per_hour", \.clientPerHour), ("project_per_hour", \.projectPerHour),
        ]
    }

    /// What one network may have of a limit on mails to an address: half of it, so that nobody
    /// alone uses up what its user needs (decision 0241).
    static func networkShare(of limit: Int) -> Int { limit / 2 + limit % 2 }

    /// The standard, but for what is named.
    package init(_ numbers: [String: Int]) {
        for window in Self.windows {
            if let number = numbers[window.name] { self[keyPath: window.limit] = number }
        }
    }

    /// Each limit times `factor`: development waits for nobody.
    package func multiplied(by factor: Int) -> Self {
        var limits = self
        limits.addressPerMinute *= factor
        limits.addressPerHour *= factor
        limits.addressPerDay *= factor
        limits.networkPerHour *= factor
        limits.clientPerHour *= factor
        limits.projectPerHour *= factor
        return limits
    }
}
