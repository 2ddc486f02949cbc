import Foundation
import TestSupport

/// A service that reads the revocation feed on a socket (WireContract 12.1).
struct FeedReader: Sendable {
    /// Where the projector listens, and the Host that names the project.
    let origin: String
    let host: String
    let token: String

    /// With a token of the demo's service; at the stack's own projector, or at another.
    init(_ stack: RunningStack, at origin: String? = nil) async throws {
        let url = stack.facts["REVOCATIONS_URL"] ?? ""
        self.origin = origin ?? String(url.dropLast("/revocations".count))
        host = stack.issuer.components(separatedBy: "://").last ?? ""
        let secret = Data((stack.facts["CLIENT_API"] ?? "").utf8).base64EncodedString()
        var browser = Browser(stack.issuer)
        let answer = try await browser.send(
            "POST",
            "/oauth2/token",
            headers: [("Authorization", "Basic \(secret)")],
            body: "grant_type=client_credentials&scope=revocations.read"
        )
        guard let token = answer.member("access_token") else {
            throw SignIn.Failed(description: "no token for the feed: \(answer.text)")
        }
        self.token = token
        // One that has just started has not read the project yet, and says when to come back.
        let limit = ContinuousClock.now + .seconds(30)
        while try await get("limit=1").status == 503, ContinuousClock.now < limit {
            try await Task.sleep(for: .milliseconds(100))
        }
    }

    /// Of a project that has been applied, whose service may read from now on.
    init(of project: TestProject) async throws {
        let url = project.stack.facts["REVOCATIONS_URL"] ?? ""
        origin = String(url.dropLast("/revocations".count))
        host = project.site.authority
        let line = "client_id: service\n"
        try await project.change(line, to: "\(line)      allowed_scopes: [revocations.read]\n")
        let answer = try await project.site.token(
            [("grant_type", "client_credentials"), ("scope", "revocations.read")]
                + (try project.assertionForm("service"))
        )
        guard let token = answer.member("access_token") else {
            throw SignIn.Failed(description: "no token for the feed: \(answer.text)")
        }
        self.token = token
        // A projector reads every five seconds which projects there are.
        try await Waiting.until("the projector serves \(project.id)") {
            try await get("limit=1").status == 200
        }
    }

    func get(_ query: String) async throws -> WireAnswer {
        var browser = Browser(origin)
        return try await browser.send(
            "GET",
            "/revocations?\(query)",
            headers: [("Host", host), ("Authorization", "Bearer \(token)")]
        )
    }

    /// The cursor behind everything there is now.
    func end() async throws -> String {
        var query = "limit=1000"
        while true {
            let answer = try await get(query)
            guard let next = answer.member("next") else {
                throw SignIn.Failed(description: "the feed answered: \(answer.text)")
            }
            if try Self.sessions(in: answer).isEmpty { return next }
            query = "limit=1000&after=\(next)"
        }
    }

    /// The sessions of the items of an answer.
    static func sessions(in answer: WireAnswer) throws -> [String] {
        let object = try JSONSerialization.jsonObject(with: answer.body) as? [String: Any]
        let items = object?["items"] as? [[String: Any]] ?? []
        return items.compactMap { $0["sid"] as? String }
    }

    /// Up to when an answer calls its reader complete, in ms; nil where it says nothing of that.
    static func completeThrough(in answer: WireAnswer) throws -> Int64? {
        let object = try JSONSerialization.jsonObject(with: answer.body) as? [String: Any]
        let watermark = object?["watermark"] as? [String: Any]
        return (watermark?["complete_through_at"] as? NSNumber)?.int64Value
    }
}
