import Domain
import HTTPServer
import InMemory
import Issuing
import OAuth
import Runtime
import TestSupport
import Testing
import WebAPI

/// Who read what leaves no event: the log has it (decision 0228).
@Suite("What the log says of operators") struct AdminLogTests {
    private static let sub = "80000000-0000-7000-8000-000000000005"
    private static let sid = "01900000-0000-7000-8000-000000000006"

    struct Row: Sendable {
        var name: String
        var method = WebAPI.Method.get
        /// `USER`, here and below: one whom the project knows.
        var target: String
        var role: Operator.Role? = .read
        var certificate: [UInt8]?
        /// Members of its line; nil: it has none of this name.
        var said: [String: String?]
    }
    static let rows = [
        Row(
            name: "whose sessions were read, by whom, as what, from where",
            target: "/admin/v1/sessions?subject=USER",
            said: [
                "msg": "admin request answered", "level": "notice", "operator": "read",
                "role": "read", "needs": "read", "method": "GET", "route": "/admin/v1/sessions",
                "status": "200", "network": "127.0.0.0/24", "sub": "USER", "sid": nil,
                "certificate": nil, "refusal": nil,
            ]
        ),
        Row(
            name: "who lacks a role is named, with what they asked for",
            method: .post,
            target: "/admin/v1/subjects/\(sub)/erase",
            said: [
                "msg": "admin request refused", "level": "notice", "operator": "read",
                "role": "read", "needs": "operate", "route": "/admin/v1/subjects/{sub}/erase",
                "status": "403", "sub": sub, "error": "AccessDenied",
            ]
        ),
        Row(
            name: "nobody has no name, but a network and a certificate",
            target: "/admin/v1/keys",
            role: nil,
            certificate: [UInt8](1...32),
            said: [
                "msg": "admin request refused", "operator": "", "role": nil, "needs": "read",
                "status": "401", "network": "127.0.0.0/24", "certificate": "0102030405060708",
            ]
        ),
        Row(
            name: "a session by its id, and why there was no answer",
            target: "/admin/v1/sessions/\(sid)",
            said: [
                "operator": "read", "route": "/admin/v1/sessions/{sid}", "status": "404",
                "sid": sid, "sub": nil, "cause": "no such session",
            ]
        ),
        Row(
            name: "what is no id is not said",
            target: "/admin/v1/sessions/somebody@example.com",
            said: ["status": "404", "sid": nil]
        ),
        Row(
            name: "nor is whose address was looked up",
            target: "/admin/v1/subjects?email=somebody@example.com",
            said: ["operator": "read", "route": "/admin/v1/subjects", "status": "200", "sub": nil]
        ),
        Row(
            name: "where there is no route",
            method: .delete,
            target: "/admin/v1/elsewhere?subject=\(sub)",
            said: ["method": "DELETE", "route": "unknown", "status": "404", "operator": ""]
        ),
    ]

    @Test("a line says who asked, of whom, from where, and what came of it", arguments: rows)
    func line(_ row: Row) async throws {
        let said = SaidLog(level: .notice)
        let admin = try await AdminSide(log: said.log)
        let user = admin.side.subject.description
        _ = try await admin.send(
            row.method,
            row.target.replacing("USER", with: user),
            as: row.role,
            certificate: row.certificate
        )
        let text = said.end()
        let lines = text.split(separator: "\n")
        try #require(lines.count == 1, "\(row.name): \(text)")
        let line = try JSONReader.read(Array(lines[0].utf8), numbers: .any)
        for (name, value) in row.said {
            let found = line[name].map { $0.string ?? $0.integer.map { "\($0)" } ?? "?" }
            let expected = value == "USER" ? user : value
            #expect(found == expected, "\(row.name): \(name) in \(text)")
        }
        #expect(!text.contains("example.com") && !text.contains("?"), "\(row.name): \(text)")
    }

    @Test("a limit that an operator has reached is theirs") func limited() async throws {
        let said = SaidLog(level: .notice)
        let admin = try await AdminSide(rates: [.admin: .init(perMinute: 1)], log: said.log)
        for _ in 0..<2 { _ = try await admin.send(.get, "/admin/v1/keys", as: .operate) }
        let lines = said.end().split(separator: "\n")
        try #require(lines.count == 2)
        #expect(lines[1].contains(#""status":429"#), "\(lines[1])")
        #expect(lines[1].contains(#""operator":"operate""#), "\(lines[1])")
    }

    @Test("what is refused before it is whole has its line, too, with whom it names")
    func unread() async throws {
        let said = SaidLog(level: .notice)
        let admin = try await AdminSide(log: said.log)
        let path = "/admin/v1/sessions/\(Self.sid)/end"
        for token in ["token-of-operate", "guess"] {
            let head = RequestHead(
                .post,
                path,
                host: "127.0.0.1",
                fields: [("authorization", "Bearer \(token)")],
                contentLength: 1 << 30
            )
            let admission = admin.api.admit(head, from: Peer(.loopback(port: 1)))
            guard case .refuse(let answer) = admission else {
                Issue.record("admitted")
                continue
            }
            #expect(answer.status == .contentTooLarge)
        }
        let slow = RequestHead(.get, "/admin/v1/keys", host: "127.0.0.1")
        let busy = RefusedRequest(.serviceUnavailable, slow)
        _ = admin.api.refused(busy, from: Peer(.loopback(port: 1)))
        // Its route has not ended: the line comes then.
        let late = RefusedRequest(.serviceUnavailable, slow, isLate: true)
        _ = admin.api.refused(late, from: Peer(.loopback(port: 1)))
        // Who proves it by a certificate is named by that.
        let digest = Sample.digest(0xCE).bytes
        let peer = Peer(.loopback(port: 1), isTLS: true, certificateDigest: digest)
        _ = admin.api.refused(busy, from: peer)
        let lines = said.end().split(separator: "\n").map(String.init)
        try #require(lines.count == 4, "\(lines)")
        let nobody = #""operator":""#
        #expect(lines[2].contains(nobody + "\""), "\(lines[2])")
        #expect(!lines[3].contains(nobody + "\""), "\(lines[3])")
        #expect(lines[3].contains(#""certificate":"cececececececece""#), "\(lines[3])")
        for (line, holder) in zip(lines, ["operate", ""]) {
            #expect(line.contains(#""msg":"admin request refused""#), "\(line)")
            #expect(line.contains(#""operator":"\#(holder)""#), "\(line)")
            #expect(line.contains(#""sid":"\#(Self.sid)""#), "\(line)")
            #expect(line.contains(#""needs":"operate""#) && line.contains(#""status":413"#))
            #expect(line.contains(#""network":"127.0.0.0/24""#), "\(line)")
        }
        #expect(lines[2].contains(#""msg":"admin request failed""#), "\(lines[2])")
    }

    @Test("an order knows where it came from") func order() async throws {
        let admin = try await AdminSide()
        let answer = try await admin.send(
            .post,
            "/admin/v1/keys/stage",
            headers: ["user-agent": "chancery"],
            body: #"{"reason":"rotation"}"#
        )
        #expect(answer.status < 300, "\(answer.body)")
        let source = admin.side.store.commits.last?.attributes.correlation?.source
        #expect(source?.network == "127.0.0.0/24")
        #expect(source?.userAgent == "chancery")
    }

    @Test("who asks for health is not written down") func health() async throws {
        let said = SaidLog(level: .notice)
        let admin = try await AdminSide(log: said.log)
        for path in ["/livez", "/readyz", "/metrics"] {
            _ = try await admin.send(.get, path, as: nil)
        }
        #expect(said.end() == "")
    }
}
