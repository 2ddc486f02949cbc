import Domain
import HTTPServer
import InMemory
import OAuth
import TestSupport
import Testing
import WebAPI

private typealias P = SpoiltParameter
private let refused = "400 BadRequest"
private let invalid = "400 ValidationFailed"
private let unknown = "404 NotFound"

/// A body that would do, each member of which is then spoilt in every way.
struct SpoiltBody: Sendable, CustomTestStringConvertible {
    /// A member, what comes back without it, and with any text in it.
    struct Member: Sendable {
        var name: String
        /// As JSON.
        var value: String
        var absent = invalid
        var empty = invalid
        var long = invalid
        /// Where no text would do.
        var isFlag = false
    }

    let path: String
    let members: [Member]

    var testDescription: String { path }

    /// What is sent, and what must come back.
    var rows: [(what: String, body: String, expected: String)] {
        members.flatMap(rows)
            + [
                ("nothing", "", refused), ("no JSON", "{", refused), ("null", "null", invalid),
                ("a list", "[]", invalid), ("a text", "\"x\"", invalid),
                ("two values", "\(body(members.map(pair)))1", refused),
                ("half a character", "{\"reason\":\"\\ud800\"}", refused),
                ("more", body(members.map(pair) + ["\"more\":1"]), invalid),
            ]
    }

    private func rows(_ spoilt: Member) -> [(what: String, body: String, expected: String)] {
        let others = members.filter { $0.name != spoilt.name }.map(pair)
        func row(_ what: String, _ own: [String], _ expected: String)
            -> (what: String, body: String, expected: String)
        {
            ("\(spoilt.name) \(what)", body(others + own), expected)
        }
        let name = "\"\(spoilt.name)\""
        let types =
            ["null", "5", "[]", "{}", "[\(spoilt.value)]"]
            + (spoilt.isFlag ? ["\"true\""] : ["true", "false"])
        let text = [
            row("empty", ["\(name):\"\""], spoilt.empty),
            row("too long", ["\(name):\"\(String(repeating: "a", count: 9_000))\""], spoilt.long),
        ]
        return types.map { row("as \($0)", ["\(name):\($0)"], invalid) }
            + (spoilt.isFlag ? [] : text) + [
                row("absent", [], spoilt.absent), row("as 1.5", ["\(name):1.5"], refused),
                row("twice", [pair(spoilt), pair(spoilt)], refused),
            ]
    }

    private func pair(_ member: Member) -> String { "\"\(member.name)\":\(member.value)" }

    private func body(_ pairs: [String]) -> String { "{\(pairs.joined(separator: ","))}" }
}

@Suite("Every word of an operator, spoilt") struct AdminSpoiltTests {
    private static let reason = SpoiltBody.Member(name: "reason", value: "\"why\"")
    /// Of no key: what is right but for that is 409.
    private static let kid = SpoiltBody.Member(
        name: "kid",
        value: "\"nobody\"",
        empty: "409 Conflict",
        long: "409 Conflict"
    )
    private static let subject = "00000000-0000-8000-8000-000000000000"

    private static let bodies = [
        SpoiltBody(
            path: "/admin/v1/keys/stage",
            members: [reason, .init(name: "algorithm", value: "\"EdDSA\"", absent: "200")]
        ),
        SpoiltBody(
            path: "/admin/v1/keys/promote",
            members: [
                reason, kid,
                .init(name: "emergency", value: "true", absent: "409 Conflict", isFlag: true),
            ]
        ),
        SpoiltBody(path: "/admin/v1/keys/retire", members: [reason, kid]),
        SpoiltBody(
            path: "/admin/v1/keys/compromise",
            members: [
                reason, kid,
                .init(name: "final", value: "true", absent: "409 Conflict", isFlag: true),
            ]
        ),
        SpoiltBody(path: "/admin/v1/project/suspend", members: [reason]),
        SpoiltBody(path: "/admin/v1/project/resume", members: [reason]),
        SpoiltBody(path: "/admin/v1/subjects/\(subject)/disable", members: [reason]),
        SpoiltBody(path: "/admin/v1/subjects/\(subject)/enable", members: [reason]),
        SpoiltBody(path: "/admin/v1/subjects/\(subject)/erase", members: [reason]),
        SpoiltBody(path: "/admin/v1/sessions/\(subject)/end", members: [reason]),
        SpoiltBody(
            path: "/admin/v1/subjects/\(subject)/biometric_keys/remove",
            members: [
                reason, .init(name: "kid", value: "\"nobody\"", empty: unknown, long: unknown),
            ]
        ),
        SpoiltBody(
            path: "/admin/v1/subjects/\(subject)/biometric_keys/remove_all",
            members: [reason]
        ),
        SpoiltBody(
            path: "/admin/v1/subjects/\(subject)/consents/withdraw",
            members: [
                reason,
                .init(name: "client_id", value: "\"nobody\"", empty: unknown, long: unknown),
            ]
        ),
    ]

    @Test("in a body: form B, and nothing changes", arguments: bodies)
    func members(_ route: SpoiltBody) async throws {
        let admin = try await AdminSide()
        for row in route.rows {
            let before = admin.side.store.commits.count
            let answer = try await admin.send(
                .post,
                route.path,
                headers: ["content-type": "application/json"],
                body: row.body
            )
            let outcome = ["\(answer.status)", answer.reason].compactMap(\.self)
            #expect(outcome.joined(separator: " ") == row.expected, "\(row.what)")
            guard answer.status >= 400 else { continue }
            #expect(admin.side.store.commits.count == before, "\(row.what)")
            #expect(answer.field("Content-Type") == ["application/json"], "\(row.what)")
        }
    }

    @Test(
        "attack: a reason that a terminal takes for more than text",
        arguments: [
            "\u{9B}31mred", "a\u{85}b", "a\u{1B}[2Jb", "a\u{7F}b", "ok\u{202E}txet",
            "ok\u{2066}txet", "ok\u{200F}txet", "a\u{2028}b", "a\u{2029}b", "a\u{E000}b",
        ]
    )
    func shown(_ reason: String) async throws {
        let admin = try await AdminSide()
        var body = JSONWriter(reserving: 64)
        body.object { $0.member("reason", reason) }
        let path = "/admin/v1/keys/stage"
        let posted = try await admin.send(
            .post,
            path,
            headers: ["content-type": "application/json"],
            body: String(decoding: body.bytes, as: UTF8.self)
        )
        let escaped = reason.utf8.map { byte in
            let digits = String(byte, radix: 16)
            return byte < 16 ? "%0\(digits)" : "%\(digits)"
        }
        let put = try await admin.send(
            .put,
            "/admin/v1/project?reason=\(escaped.joined())",
            headers: [
                "content-type": "application/yaml",
                "if-match": "\"\(String(repeating: "0", count: 64))\"",
            ],
            body: "bank auth.example.com"
        )
        for answer in [posted, put] {
            #expect(answer.status == 400 && answer.reason == "ValidationFailed", "\(answer.body)")
        }
    }

    private static let project = P("project", "bank", absent: "200", long: unknown)
        .but { $0.unreadable = refused }

    private static let queries = [
        route(.get, "/admin/v1/project", [project]),
        route(
            .get,
            "/admin/v1/project/history",
            [project, P("before", "5", absent: "200", long: refused)]
        ),
        route(.get, "/admin/v1/keys", [project]),
        route(
            .get,
            "/admin/v1/sessions",
            [
                P("subject", subject, absent: refused, long: refused),
                P("client", "app", absent: "200", long: refused),
                P(
                    "cursor",
                    "00000000-0000-7000-8000-000000000000",
                    absent: "200",
                    long: refused
                ),
                project,
            ]
        ),
        route(
            .get,
            "/admin/v1/subjects",
            [
                project,
                P("email", "a@example.com", absent: refused, long: refused),
            ]
        ),
        // Its tag is of no document: what is right but for that is 409.
        route(
            .put,
            "/admin/v1/project",
            [
                P("reason", "why", absent: invalid, long: invalid),
                P("check", "false", absent: "409 Conflict", long: refused),
            ],
            headers: [
                (name: "content-type", value: "application/yaml"),
                (name: "if-match", value: "\"\(String(repeating: "0", count: 64))\""),
            ]
        ),
    ]

    private static func route(
        _ method: WebAPI.Method,
        _ path: String,
        _ parameters: [SpoiltParameter],
        headers: [(name: String, value: String)] = []
    ) -> SpoiltRoute {
        SpoiltRoute(
            method: method,
            path: path,
            form: .envelope,
            parameters: parameters,
            headers: headers
        )
    }

    @Test("in a query: form B, and nothing changes", arguments: queries)
    func parameters(_ route: SpoiltRoute) async throws {
        let admin = try await AdminSide()
        let before = admin.side.store.commits.count
        let user = admin.side.subject.description
        for row in route.parameters.flatMap(route.rows) {
            let answer = try await admin.send(
                route.method,
                "\(route.path)?\(row.text.replacing(Self.subject, with: user))",
                headers: route.headers,
                body: route.method == .put ? "bank auth.example.com" : ""
            )
            #expect(route.outcome(answer) == row.expected, "\(row.what): \(answer.body)")
            #expect(!answer.body.contains("SPOILT"), "\(row.what)")
        }
        #expect(admin.side.store.commits.count == before)
    }
}
