import Foundation
import TestSupport
import Testing

/// Every way to spoil a JSON body, at both routes that phones send one to (WireContract 1.1, 6.1,
/// 9.6; Security 3, rule 5).
@Suite("Spoilt JSON bodies", .serialized, .timeLimit(.minutes(3))) struct SpoiltBodyTests {
    /// A body made of the one member's name and its good value.
    struct Row: Sendable, CustomTestStringConvertible {
        var testDescription: String
        /// Status and reason, of a challenge and of an app-session token.
        var outcomes: [String]
        var type = "application/json"
        var body: @Sendable (_ name: String, _ good: String) -> [UInt8]

        init(
            _ sentence: String,
            _ outcomes: String...,
            type: String = "application/json",
            _ body: @escaping @Sendable (String, String) -> String
        ) {
            self.init(sentence, outcomes, type) { Array(body($0, $1).utf8) }
        }

        init(
            _ sentence: String,
            _ outcomes: [String],
            _ type: String = "application/json",
            bytes: @escaping @Sendable (String, String) -> [UInt8]
        ) {
            testDescription = sentence
            self.outcomes = outcomes.count == 1 ? outcomes + outcomes : outcomes
            self.type = type
            body = bytes
        }
    }

    private static let bad = "400 BadRequest"
    private static let invalid = "400 ValidationFailed"
    private static let final = "403 InvalidGrant"

    static let rows = members + texts + types

    private static let members = [
        Row("an object without the member", invalid) { _, _ in "{}" },
        Row("the member twice", bad) { #"{"\#($0)":"\#($1)","\#($0)":"\#($1)"}"# },
        Row("another member beside it", invalid) { #"{"\#($0)":"\#($1)","more":1}"# },
        Row("the member's name in capitals", invalid) { #"{"\#($0.uppercased())":"\#($1)"}"# },
        Row("an empty text", invalid, final) { name, _ in #"{"\#(name)":""}"# },
        Row("a text of 9000 bytes", invalid, final) { name, good in
            #"{"\#(name)":"\#(good)\#(String(repeating: "a", count: 9000))"}"#
        },
        Row("a text with a blank behind it", invalid, final) { #"{"\#($0)":"\#($1) "}"# },
        Row("null", invalid) { name, _ in #"{"\#(name)":null}"# },
        Row("a number", invalid) { name, _ in #"{"\#(name)":1}"# },
        Row("true", invalid) { name, _ in #"{"\#(name)":true}"# },
        Row("a list of the text", invalid) { #"{"\#($0)":["\#($1)"]}"# },
        Row("an object with the text", invalid) { #"{"\#($0)":{"\#($0)":"\#($1)"}}"# },
    ]

    private static let texts = [
        Row("nothing at all", bad) { _, _ in "" },
        Row("the text alone", invalid) { #""\#($1)""# },
        Row("a list of objects", invalid) { #"[{"\#($0)":"\#($1)"}]"# },
        Row("cut short", bad) { #"{"\#($0)":"\#($1)""# },
        Row("a letter behind it", bad) { #"{"\#($0)":"\#($1)"}x"# },
        Row("another object behind it", bad) { #"{"\#($0)":"\#($1)"}{}"# },
        Row("a comma too many", bad) { #"{"\#($0)":"\#($1)",}"# },
        Row("a comment", bad) { #"{"\#($0)":"\#($1)"}/**/"# },
        Row("a NUL in the text", bad) { #"{"\#($0)":"\#($1)\#u{0}"}"# },
        Row("half a surrogate pair", bad) { name, _ in #"{"\#(name)":"\ud800"}"# },
        Row("17 levels deep", bad) { name, _ in
            #"{"\#(name)":\#(String(repeating: "[", count: 17))"#
                + String(repeating: "]", count: 17) + "}"
        },
        Row("not UTF-8", [bad]) { name, _ in
            Array(#"{"\#(name)":""#.utf8) + [0xC3, 0x28] + Array(#""}"#.utf8)
        },
        Row("a mark of byte order before it", [bad]) { name, good in
            [0xEF, 0xBB, 0xBF] + Array(#"{"\#(name)":"\#(good)"}"#.utf8)
        },
        Row("UTF-16", [bad]) { name, good in
            #"{"\#(name)":"\#(good)"}"#.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
        },
    ]

    private static let types = [
        Row("a form", bad, type: "application/x-www-form-urlencoded") { "\($0)=\($1)" },
        Row("JSON that says it is a form", bad, type: "application/x-www-form-urlencoded") {
            #"{"\#($0)":"\#($1)"}"#
        },
        Row("JSON in another charset", bad, type: "application/json; charset=latin1") {
            #"{"\#($0)":"\#($1)"}"#
        },
        Row("JSON of another kind", bad, type: "application/merge-patch+json") {
            #"{"\#($0)":"\#($1)"}"#
        },
    ]

    private static func send(_ row: Row, _ route: Route, _ site: Site, at node: Int) async throws
        -> WireAnswer
    {
        let bytes = row.body(route.member, route.value)
        let head = WireRequest(
            "POST",
            route.path,
            [("Content-Type", row.type), ("Content-Length", "\(bytes.count)")]
        )
        let limit = ContinuousClock.now + .seconds(15)
        while true {
            let answer = try await WireClient.exchange(
                head.bytes(origin: site.origin) + Data(bytes),
                with: site.nodes[node]
            )
            guard let seconds = answer.secondsToRepeat, ContinuousClock.now < limit else {
                return answer
            }
            try await Task.sleep(for: .seconds(seconds))
        }
    }

    private struct Route {
        var path: String
        var member: String
        var value: String
    }

    @Test("are refused in the envelope and change nothing; the right one then works")
    func refused() async throws {
        let project = try await TestProject.named("spoilt")
        let site = project.site
        var person = Person(at: site)
        let session = try await person.session(scope: Person.everything)
        let routes = [
            Route(path: "/oauth2/challenge", member: "purpose", value: "app2app_request"),
            Route(
                path: "/oauth2/app_session_token",
                member: "refresh_token",
                value: try #require(session.member("refresh_token"))
            ),
        ]
        let race = try Race(at: project)
        for (index, route) in routes.enumerated() {
            for row in Self.rows {
                for node in site.nodes.indices {
                    let answer = try await Self.send(row, route, site, at: node)
                    #expect(
                        answer.outcome == row.outcomes[index],
                        "\(route.path), \(row.testDescription): \(answer.text)"
                    )
                    #expect(answer["cache-control"] == "no-store", "\(row.testDescription)")
                }
            }
            let good = Row("good", "200") { #"{"\#($0)":"\#($1)"}"# }
            #expect(try await Self.send(good, route, site, at: 0).status == 200, "\(route.path)")
        }
        #expect(try race.events() == [:])
    }
}
