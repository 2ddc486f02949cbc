import Foundation
import TestSupport

/// One request, before it is known which node it goes to.
struct WireRequest: Sendable {
    var method: String
    var target: String
    var headers: [(name: String, value: String)]
    var body: String

    init(
        _ method: String,
        _ target: String,
        _ headers: [(name: String, value: String)] = [],
        _ body: String = ""
    ) {
        self.method = method
        self.target = target
        self.headers = headers
        self.body = body
    }

    /// A form for the token endpoint, with a proof where there is one.
    static func token(_ fields: [(String, String)], proof: String? = nil) -> Self {
        let headers = proof.map { [(name: "DPoP", value: $0)] } ?? []
        return Self("POST", "/oauth2/token", headers, SignIn.form(fields))
    }

    /// As bytes, for a server that is known by `origin`; the connection ends with the answer.
    func bytes(origin: String, cookies: String? = nil) -> Data {
        var lines = ["\(method) \(target) HTTP/1.1"]
        func has(_ name: String) -> Bool { headers.contains { $0.name.lowercased() == name } }
        if !has("host") {
            lines.append("Host: \(origin.components(separatedBy: "://").last ?? "")")
        }
        lines.append("Connection: close")
        if !has("cookie"), let cookies { lines.append("Cookie: \(cookies)") }
        lines += headers.map { "\($0.name): \($0.value)" }
        if !body.isEmpty, !has("content-type") {
            lines.append("Content-Type: application/x-www-form-urlencoded")
        }
        let isMeasured = has("content-length") || has("transfer-encoding")
        if method != "GET", method != "HEAD", !isMeasured {
            lines.append("Content-Length: \(body.utf8.count)")
        }
        return Data((lines.joined(separator: "\r\n") + "\r\n\r\n" + body).utf8)
    }
}

extension WireAnswer {
    /// When to ask again, of a node that had no time; nothing has happened then.
    var secondsToRepeat: Double? {
        status == 503 ? self["retry-after"].flatMap(Double.init) : nil
    }

    /// The status and the error code, such as `400 invalid_grant`.
    var outcome: String {
        let code = member("error") ?? object("error")?["reason"] as? String
        return [String(status), code].compactMap(\.self).joined(separator: " ")
    }
}
