import Configuration
import Testing

@Suite("Unknown keys") struct UnknownKeysTests {
    @Test("are all said, with what was meant, also where each of 1,000 clients has one")
    func many() {
        let clients = (0..<1_000).map { number in
            "    - {client_id: c\(number), name: A, x_application_type: native, "
                + "redirect_uris: [\"com.example:/c\"], x_app2app_enabeld: true}\n"
        }
        let text = """
            id: bank
            name: Example Bank
            http: {public_origin: "https://auth.example.com"}
            oauth:
              clients:

            """
        let document = [UInt8]((text + clients.joined(separator: "")).utf8)
        do {
            _ = try ProjectDocument().settings(document)
            Issue.record("taken")
        } catch {
            let found = error.findings.map { $0.line(in: "x.yaml") }
                .filter { $0.contains("unknown key") }
            let expected = clients.indices.map { index in
                "x.yaml:\(index + 6): oauth.clients[\(index)].x_app2app_enabeld: "
                    + "unknown key; did you mean `x_app2app_enabled`?"
            }
            #expect(found == expected)
        }
    }

    @Test("are told what is known in their own place alone") func place() throws {
        let document = try SettingsDocument(
            Array("a: {b: {c: 1}, colour: red}\nlist: [{d: 1}, {colour: red}]\n".utf8)
        )
        let section = document.root.section("a")
        _ = section.has("e")
        _ = section.has("b.c")
        for (index, element) in document.root.sections("list").enumerated() {
            _ = element.has(index == 0 ? "d" : "f")
        }
        do {
            try document.finish()
            Issue.record("taken")
        } catch {
            #expect(
                error.findings.map(\.description) == [
                    "a.colour: unknown key; known here: b, e",
                    "list[1].colour: unknown key; known here: f",
                ]
            )
        }
    }
}
