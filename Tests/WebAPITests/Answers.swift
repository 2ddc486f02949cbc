import OAuth
import TestSupport

extension Answer {
    /// The code of a redirect to a client.
    func code() throws -> String {
        let location = try Fixture.some(field("Location").first)
        let query = try Fixture.some(location.split(separator: "?").last)
        let code = try Form(parsing: Array(query.utf8)).single("code")
        return String(decoding: try Fixture.some(code), as: UTF8.self)
    }

    /// Status and what is wrong: `error`, the envelope's reason, a page's or a redirect's error.
    var word: String {
        let location = field("Location").first ?? ""
        let sent = location.split(separator: "error=").dropFirst().first?.prefix { $0 != "&" }
        let reason = error ?? self["error"]?["reason"]?.string ?? pageError
        let what = reason ?? sent.map(String.init) ?? ""
        let isFinal = self["error_description"]?.string == "InvalidCredentials"
        return "\(status)" + (what.isEmpty ? "" : " \(what)")
            + (isFinal ? " InvalidCredentials" : "")
    }
}
