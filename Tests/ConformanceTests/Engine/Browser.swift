import Foundation
import TestSupport

/// Sends requests as one browser would: with its cookies, one request per connection.
struct Browser {
    /// How long a request is repeated.
    private static let patience = Duration.seconds(15)

    /// The one server it knows.
    let origin: String
    /// Where its requests go, in turn: what answers for that server.
    let nodes: [String]
    private(set) var jar = CookieJar()
    private var sent = 0

    init(_ origin: String, at nodes: [String] = []) {
        self.origin = origin
        self.nodes = nodes.isEmpty ? [origin] : nodes
    }

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
        let request = WireRequest(method, target, headers, body)
            .bytes(origin: origin, cookies: jar.header)
        let node = nodes[sent % nodes.count]
        sent += 1
        while true {
            let answer = try await WireClient.exchange(request, with: node)
            jar.take(answer)
            guard isRepeated, let seconds = answer.secondsToRepeat, ContinuousClock.now < limit
            else { return answer }
            try await Task.sleep(for: .seconds(seconds))
        }
    }
}

extension Browser {
    /// The value that an admin listener gives a metric; 0 when it has none.
    func gauge(_ name: String) async throws -> Int {
        var admin = self
        let text = try await admin.send("GET", "/metrics").text
        let line = text.split(separator: "\n").first { $0.hasPrefix("\(name) ") }
        return line.flatMap { $0.split(separator: " ").last }.flatMap { Double($0) }.map { Int($0) }
            ?? 0
    }
}
