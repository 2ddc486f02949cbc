import TestSupport
import Testing

extension DoctorTests {
    @Test("hosts and cookies that two projects have since before that was refused are warned of")
    func sharing() throws {
        let findings = try Self.findings(of: [
            ("a", #"public_origin: "https://auth.example.com", cookie_domain: example.com"#),
            ("b", #"public_origin: "https://auth.example.com""#),
            ("c", #"public_origin: "https://in.c.example.com", cookie_domain: c.example.com"#),
            (
                "d",
                #"public_origin: "https://d.example.org", "#
                    + #"projector_origin: "https://in.c.example.com:8443""#
            ),
        ])
        let shared = findings.filter { $0.sentence.hasPrefix("projects ") }
        #expect(
            shared.map(\.sentence) == [
                "projects a and b have one host: auth.example.com",
                "projects c and d have one host: in.c.example.com",
                "projects a and c write one cookie: app_access_token at example.com and "
                    + "c.example.com",
            ]
        )
        for finding in shared {
            #expect(finding.level == "warning" && finding.rule == nil && finding.remedy != nil)
        }
    }

    @Test("another prefix, and hosts of its own, keep a project apart from its neighbour")
    func apart() throws {
        let findings = try Self.findings(of: [
            ("a", #"public_origin: "https://auth.example.com", cookie_domain: example.com"#),
            (
                "b",
                #"public_origin: "https://b.example.com", cookie_domain: example.com, "#
                    + "cookie_prefix: b_"
            ),
        ])
        #expect(!findings.contains { $0.sentence.hasPrefix("projects ") }, "\(findings)")
        let found = findings.filter { $0.sentence == "no two projects share a host or a cookie" }
        #expect(found.map(\.level) == ["ok"], "\(findings)")
    }

    /// What it finds where the admin API shows these projects: their ids, and what stands in
    /// `http`.
    private static func findings(of projects: [(id: String, http: String)]) throws -> [Finding] {
        let stack = try RunningStack.running()
        let list = projects.map { #"{"id":"\#($0.id)","served":false}"# }.joined(separator: ",")
        let documents = projects.map { project in
            """
            id: \(project.id)
            name: \(project.id)
            http: {\(project.http)}
            oauth:
              clients:
                - client_id: app
                  name: App
                  x_application_type: native
                  redirect_uris: ["com.example.app:/callback"]
            """
        }
        let answers =
            [#"{"checks":{"schema":"ok"}}"#, #"{"result":{"projects":[\#(list)]}}"#] + documents
        let admin = try ScriptedAdmin(answers.map { AdminClientTests.answer($0) })
        defer { admin.close() }
        let file = "\(settings(stack))/operator.yaml"
        return try run(stack, file, ["--admin", admin.origin]).findings
    }
}
