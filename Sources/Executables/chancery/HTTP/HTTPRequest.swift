import OAuth

/// A request of a command: small, to this machine, over a connection of its own.
struct HTTPRequest: Sendable {
    var method: String
    /// Path and query.
    var target: String
    var headers: [(name: String, value: String)] = []
    var body: [UInt8] = []

    static func get(_ target: String, _ headers: [(name: String, value: String)] = []) -> Self {
        Self(method: "GET", target: target, headers: headers)
    }

    /// A form (RFC 6749 appendix B).
    static func post(
        _ target: String,
        form: [(name: String, value: String)],
        _ headers: [(name: String, value: String)] = []
    ) -> Self {
        let type = (name: "Content-Type", value: "application/x-www-form-urlencoded")
        let body = Array(encoded(form).utf8)
        return Self(method: "POST", target: target, headers: [type] + headers, body: body)
    }

    /// `name=value&…`, everything but letters, digits and `-._~` escaped.
    static func encoded(_ fields: [(name: String, value: String)]) -> String {
        fields.map { "\(escaped($0.name))=\(escaped($0.value))" }.joined(separator: "&")
    }

    static func escaped(_ text: String) -> String {
        String(decoding: PercentEncoding.encode(text.utf8), as: UTF8.self)
    }

    /// Base64 with padding, which HTTP's Basic scheme wants (RFC 7617 §2).
    static func base64(_ text: String) -> String {
        let url = Base64URL.text(Array(text.utf8))
        let plain = url.replacing("-", with: "+").replacing("_", with: "/")
        return plain + String(repeating: "=", count: (4 - plain.utf8.count % 4) % 4)
    }

    /// The bytes to send to `host`, which is told as it stands in the URL.
    func bytes(host: String) -> [UInt8] {
        var lines = ["\(method) \(target) HTTP/1.1", "Host: \(host)", "Connection: close"]
        lines += headers.map { "\($0.name): \($0.value)" }
        if !body.isEmpty || method == "POST" || method == "PUT" {
            lines.append("Content-Length: \(body.count)")
        }
        return Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8) + body
    }
}
