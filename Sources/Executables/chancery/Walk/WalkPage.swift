/// What a program without a browser needs of a page.
struct WalkPage: Sendable {
    let html: String

    /// The value of a hidden field; nil when the page has none of that name.
    func field(_ name: String) -> String? {
        for tag in html.split(separator: "<input") where tag.contains("name=\"\(name)\"") {
            guard let start = tag.firstRange(of: "value=\"")?.upperBound else { continue }
            return String(tag[start...].prefix { $0 != "\"" })
        }
        return nil
    }
}
