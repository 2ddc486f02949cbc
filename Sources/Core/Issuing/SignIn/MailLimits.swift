/// Limits L5 and L6 on mails, exact across nodes (Security 9); 0 switches one off.
package struct MailLimits: Hashable, Sendable {
    package var addressPerMinute = 1
    package var addressPerHour = 5
    package var addressPerDay = 20
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
