/// Limits L5 and L6 on mails, exact across nodes (security.md section 9); 0 switches one off.
package struct MailLimits: Hashable, Sendable {
    package var addressPerMinute = 1
    package var addressPerHour = 5
    package var addressPerDay = 20
    package var networkPerHour = 50
    package var clientPerHour = 1_000
    package var projectPerHour = 5_000

    package init() {}

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
