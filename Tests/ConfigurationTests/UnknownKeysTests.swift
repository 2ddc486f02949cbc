import Configuration
import Glibc
import Testing

@Suite("Unknown keys") struct UnknownKeysTests {
    @Test("are all said, with what was meant, also where each of 1,000 clients has one")
    func many() {
        let (few, many) = (Self.cost(of: 50), Self.cost(of: 1_000))
        // Looked for in the whole document, twenty times the keys cost four hundred times as much.
        #expect(many < few * 40, "\(few), \(many)")
    }

    /// Reads a document in which so many clients have an unknown key each; how long this thread
    /// was at it.
    private static func cost(of count: Int) -> Duration {
        let clients = (0..<count).map { number in
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
        let begin = threadTime()
        do {
            _ = try ProjectDocument().settings(document)
            Issue.record("taken")
            return .zero
        } catch {
            let took = threadTime() - begin
            let found = error.findings.map { $0.line(in: "x.yaml") }
                .filter { $0.contains("unknown key") }
            let expected = clients.indices.map { index in
                "x.yaml:\(index + 6): oauth.clients[\(index)].x_app2app_enabeld: "
                    + "unknown key; did you mean `x_app2app_enabled`?"
            }
            #expect(found == expected)
            return took
        }
    }

    /// What this thread has used of its CPU: what else the machine does is not in it.
    private static func threadTime() -> Duration {
        var time = timespec()
        unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
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
            #expect(error.findings.allSatisfy { $0.kind == .unknownKey })
        }
    }
}
