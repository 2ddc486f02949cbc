/// Section `rate_limits`: limits that differ from the standard (Security 9).
///
/// What is left out keeps its standard; 0 is no limit.
package struct RateLimitSettings: Sendable {
    /// The largest number that means anything.
    package static let perMinuteMax = 10_000_000

    /// `per_minute`: by the name of the limit.
    package let perMinute: [String: Int]
    /// `mails`: by the name of the window.
    package let mails: [String: Int]

    /// Reads the limits of these names; findings, also about any other name, go to the document.
    package init(_ root: Section, limits: [String], mails: [String] = []) {
        let section = root.section(.rateLimits)
        perMinute = Self.read(section.section("per_minute"), limits)
        self.mails = Self.read(section.section("mails"), mails)
    }

    private static func read(_ section: Section, _ names: [String]) -> [String: Int] {
        var numbers: [String: Int] = [:]
        for name in names where section.has(name) {
            numbers[name] = section.integer(name, in: 0...perMinuteMax, default: 0)
        }
        return numbers
    }
}
