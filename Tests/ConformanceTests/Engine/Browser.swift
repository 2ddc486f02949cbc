import Foundation
import TestSupport

/// Sends requests as one browser would: with its cookies, one request per connection.
struct Browser {
    /// How long a request is repeated.
    private static let patience = Duration.seconds(15)

    let origin: String
    private(set) var jar = CookieJar()

    init(_ origin: String) { self.origin = origin }

    /// Sends a request, and again when the answer is a 503 that asks for it.
    ///
    /// A node on a busy machine may say so at any time, and nothing has happened then.
    /// `isRepeated` is false where that answer itself is looked at.
    mutating func send(
        _ method: String,
        _ target: String,
        headers: [(name: String, value: String)] = [],
        body: String = "",
        isRepeated: Bool = true
    ) async throws -> WireAnswer {
        let limit = ContinuousClock.now + Self.patience
        while true {
            let answer = try await sendOnce(method, target, headers: headers, body: body)
            guard isRepeated, answer.status == 503,
                let seconds = answer["retry-after"].flatMap(Double.init),
                ContinuousClock.now < limit
            else { return answer }
            try await Task.sleep(for: .seconds(seconds))
        }
    }

    private mutating func sendOnce(
        _ method: String,
        _ target: String,
        headers: [(name: String, value: String)],
        body: String
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
