import Domain
import HTTPServer
import InMemory
import Issuing
import TestSupport
import WebAPI

/// A browser at the public listener, with its cookies.
struct WebBrowser {
    let web: WebSide
    var cookies: [String: String] = [:]

    init(_ web: WebSide) { self.web = web }

    mutating func get(_ target: String) async throws -> Answer { try await send(.get, target) }

    /// Posts a form as a page of ours does.
    mutating func post(_ path: String, _ form: String) async throws -> Answer {
        try await send(.post, path, form)
    }

    private mutating func send(_ method: WebAPI.Method, _ target: String, _ form: String = "")
        async throws -> Answer
    {
        let pairs = cookies.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
        var fields = [("cookie", pairs.joined(separator: "; "))]
        if method == .post {
            fields += [("origin", PageSide.origin), ("content-type", WebSide.form)]
        }
        let answer = try await web.send(method, target, fields: fields, body: Array(form.utf8))
        for cookie in answer.field("Set-Cookie") {
            let pair = cookie.prefix { $0 != ";" }.split(separator: "=", maxSplits: 1)
            cookies[String(pair[0])] = pair.count > 1 ? String(pair[1]) : nil
        }
        return answer
    }

    /// Logs in by a mail to whomever the login page lets one, from its first page to the client.
    mutating func logIn(from start: Answer, typing email: String) async throws -> Answer {
        let page = try await get(Fixture.some(start.location))
        let waiting = try await post("/login", "\(page.fields)&email=\(email)")
        let wait = try await get(Fixture.some(waiting.location))
        try await web.sendMails()
        let link = try Fixture.some(web.side.mailQueue.sent.last).link
        _ = try await web.send(.post, String(link.dropFirst(PageSide.origin.count)))
        return try await post("/login/complete", wait.fields)
    }
}
