import TestSupport
import Testing

extension DoctorTests {
    private static let unready = #"{"checks":{"schema":"ok","database":"does not answer"}}"#
    private static let broken = "HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n"

    private static func document(_ id: String) -> String {
        """
        id: \(id)
        name: \(id)
        http: {public_origin: "https://\(id).example.com"}
        oauth:
          clients:
            - client_id: app
              name: App
              x_application_type: native
              redirect_uris: ["com.example.app:/callback"]
        """
    }

    private static func findings(_ answers: [String]) throws -> [Finding] {
        let stack = try RunningStack.running()
        let admin = try ScriptedAdmin(answers)
        defer { admin.close() }
        let file = "\(settings(stack))/operator.yaml"
        return try run(stack, file, ["--admin", admin.origin]).findings
    }

    @Test("says why an issuer is unready, also where its projects are not told") func unready()
        throws
    {
        let answers = [AdminClientTests.answer(Self.unready), Self.broken]
        let faults = try Self.findings(answers).filter { $0.level == "fault" }
        let said = faults.map(\.sentence)
        #expect(said.contains("token-issuer: database: does not answer"), "\(said)")
        #expect(said.contains("the admin API answered 500"), "\(said)")
    }

    @Test("what is not told of one project takes nothing from what is told of another")
    func oneUntold() throws {
        let list = #"{"result":{"projects":[{"id":"a","served":true},{"id":"b","served":true}]}}"#
        let key = #"{"kid":"k","status":"current","algorithm":"ES256"}"#
        let findings = try Self.findings(
            [
                AdminClientTests.answer(Self.unready), AdminClientTests.answer(list),
                AdminClientTests.answer(Self.document("a")), Self.broken,
                AdminClientTests.answer(Self.document("b")),
                AdminClientTests.answer(#"{"result":{"keys":[\#(key)]}}"#),
            ]
        )
        let untold = findings.filter { $0.sentence == "project a: the admin API answered 500" }
        #expect(untold.map(\.level) == ["fault"], "\(findings)")
        for id in ["a", "b"] {
            let told = findings.filter {
                $0.rule == nil && $0.level != "fault" && $0.sentence.hasPrefix("project \(id): ")
            }
            #expect(!told.isEmpty, "\(findings)")
        }
        #expect(findings.contains { $0.sentence.contains("database: does not answer") })
    }

    @Test("of a project whose document is not told nobody says that it shares nothing")
    func unknownDocument() throws {
        let projects = ["a", "b", "c"].map { #"{"id":"\#($0)","served":false}"# }
        let list = #"{"result":{"projects":[\#(projects.joined(separator: ","))]}}"#
        func found(_ first: String) throws -> [Finding] {
            try Self.findings(
                [
                    AdminClientTests.answer(Self.unready), AdminClientTests.answer(list), first,
                    AdminClientTests.answer(Self.document("b")),
                    AdminClientTests.answer(Self.document("c")),
                ]
            )
        }
        let known = try found(AdminClientTests.answer(Self.document("a")))
        #expect(known.contains { $0.sentence.hasPrefix("no two projects share") })
        let findings = try found(Self.broken)
        #expect(findings.contains { $0.sentence == "project a: the admin API answered 500" })
        #expect(!findings.contains { $0.sentence.hasPrefix("no two projects share") })
    }
}
