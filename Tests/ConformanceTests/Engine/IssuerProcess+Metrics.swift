import TestSupport

extension IssuerProcess {
    /// The value of a series, such as `name{label="value"}`; nil where there is none.
    func metric(_ series: String) async throws -> String? {
        var admin = Browser(adminOrigin)
        let text = try await admin.send("GET", "/metrics", isRepeated: false).text
        let line = text.split(separator: "\n").first { $0.hasPrefix("\(series) ") }
        return line?.split(separator: " ").last.map(String.init)
    }
}
