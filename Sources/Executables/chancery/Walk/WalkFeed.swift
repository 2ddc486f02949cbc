import OAuth
import Runtime

/// The revocation feed, as a resource server reads it (WireContract 12.1).
struct WalkFeed: Sendable {
    private static let waitMax = Duration.seconds(60)

    let url: String
    let token: String
    let loop: Loop

    /// Reads page by page until a session is there.
    ///
    /// - Returns: what the feed says about it.
    func wait(for session: String) async throws(CommandFailure) -> String {
        guard let path = url.utf8.dropFirst("http://".utf8.count).firstIndex(of: 0x2F) else {
            throw CommandFailure("\(url) is no URL of a feed")
        }
        let origin = String(url[..<path])
        let deadline = MonotonicInstant.now().advanced(by: Self.waitMax)
        var cursor: String?
        while MonotonicInstant.now() < deadline {
            let query = cursor.map { "&after=\(HTTPRequest.escaped($0))" } ?? ""
            let request = HTTPRequest.get(
                "\(url[path...])?wait=1\(query)",
                [("Authorization", "Bearer \(token)")]
            )
            let answer = try await HTTPConnection.exchange(request, with: origin, on: loop)
            // A projector that has just started says so, and when to ask again.
            if answer.status == 503 {
                try? await loop.sleep(until: .now().advanced(by: .milliseconds(250)))
                continue
            }
            guard answer.status == 200, case .array(let items) = answer.json?["items"] else {
                throw CommandFailure("the feed answered \(answer.status): \(answer.text)")
            }
            if let item = items.first(where: { $0["sid"]?.string == session }) {
                return "revoked, reason \(item["reason"]?.string ?? "unknown")"
            }
            cursor = answer.json?["next"]?.string ?? cursor
        }
        throw CommandFailure("the feed did not tell of \(session) within \(Self.waitMax)")
    }
}
