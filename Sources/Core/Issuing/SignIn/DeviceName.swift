/// What a person would call the program behind a user agent: "Safari on iOS".
///
/// For display before an approval only; nothing is decided by it. Matched in the order in which
/// browsers pretend to be one another.
package struct DeviceName: Hashable, Sendable {
    package let text: String

    /// Nil for a user agent that names neither a browser nor a system we know.
    package init?(userAgent: String) {
        let agent = Array(userAgent.utf8.prefix(512))
        let browser = Self.first(of: Self.browsers, in: agent)
        let system = Self.first(of: Self.systems, in: agent)
        switch (browser, system) {
        case (let browser?, let system?): text = "\(browser) on \(system)"
        case (let browser?, nil): text = browser
        case (nil, let system?): text = "A device with \(system)"
        case (nil, nil): return nil
        }
    }

    private static let browsers = [
        ("Edg", "Edge"), ("OPR/", "Opera"), ("SamsungBrowser/", "Samsung Internet"),
        ("Firefox/", "Firefox"), ("FxiOS/", "Firefox"), ("CriOS/", "Chrome"),
        ("Chrome/", "Chrome"), ("Safari/", "Safari"),
    ]

    private static let systems = [
        ("iPhone", "iOS"), ("iPad", "iPadOS"), ("Android", "Android"), ("Windows", "Windows"),
        ("Mac OS X", "macOS"), ("CrOS", "ChromeOS"), ("Linux", "Linux"),
    ]

    private static func first(of names: [(String, String)], in agent: [UInt8]) -> String? {
        names.first { contains(agent, Array($0.0.utf8)) }?.1
    }

    private static func contains(_ text: [UInt8], _ part: [UInt8]) -> Bool {
        guard text.count >= part.count else { return false }
        return (0...(text.count - part.count)).contains { text[$0...].starts(with: part) }
    }
}
