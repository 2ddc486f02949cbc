import Foundation
import TestSupport

/// Sends requests as one browser would: with its cookies, one request per connection.
struct Browser {
    let origin: String
    private(set) var jar = CookieJar()

    init(_ origin: String) { self.origin = origin }

    mutating func send(
        _ method: String,
        _ target: String,
        headers: [(name: String, value: String)] = [],
        body: String = ""
    ) async throws -> WireAnswer {
        let host = origin.components(separatedBy: "://").last ?? ""
        var lines = ["\(method) \(target) HTTP/1.1"]
        func has(_ name: String) -> Bool { headers.contains { $0.name.lowercased() == name } }
        if !has("host") { lines.append("Host: \(host)") }
        lines.append("Connection: close")
        if !has("cookie"), let cookies = jar.header { lines.append("Cookie: \(cookies)") }
        lines += headers.map { "\($0.name): \($0.value)" }
        if !body.isEmpty, !has("content-type") {
            lines.append("Content-Type: application/x-www-form-urlencoded")
        }
        if method != "GET", method != "HEAD", !has("content-length") {
            lines.append("Content-Length: \(body.utf8.count)")
        }
        let request = Data((lines.joined(separator: "\r\n") + "\r\n\r\n" + body).utf8)
        let answer = try await WireClient.exchange(request, with: origin)
        jar.take(answer)
        return answer
    }
}
