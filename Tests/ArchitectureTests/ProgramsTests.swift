import Testing

/// A program shows its memory to nobody before it reads the first secret (Security 6).
@Suite("Programs") struct ProgramsTests {
    /// Those that read secrets; dev-broker has none.
    static let programs = [
        "chancery/Chancery", "event-relay/EventRelay", "revocation-projector/RevocationProjector",
        "token-issuer/TokenIssuer",
    ]

    /// Whether nothing but `Lifecycle.prepare()` comes before dumps are forbidden.
    static func forbidsDumpsFirst(_ file: SourceFile) -> Bool {
        let lines = file.code.map { $0.filter { $0 != " " } }
        guard let main = lines.firstIndex(of: "staticfuncmain(){") else { return false }
        let first = lines[(main + 1)...].first { $0 != "Lifecycle.prepare()" }
        return first == "Lifecycle.forbidDumps()"
    }

    @Test("forbid dumps before they read anything", arguments: programs)
    func holds(_ program: String) throws {
        let path = "Sources/Executables/\(program).swift"
        let file = try #require(SourceTree.all.first { $0.path == path })
        #expect(Self.forbidsDumpsFirst(file), "\(path)")
    }

    @Test("are all looked at") func everyProgram() {
        let found = SourceTree.files(under: "Sources/Executables")
            .filter { $0.code.contains { $0.hasPrefix("@main ") } }.map(\.path)
        let known = (Self.programs + ["dev-broker/DevBroker"])
            .map { "Sources/Executables/\($0).swift" }
        #expect(Set(found) == Set(known))
    }

    @Test("that read a file before are seen") func seesABadSample() {
        let text = """
            static func main() {
                Lifecycle.prepare()
                let files = settings.startFiles
                Lifecycle.forbidDumps()
            }
            """
        let file = SourceFile(path: "Sources/Executables/a/A.swift", text: text)
        #expect(!Self.forbidsDumpsFirst(file))
    }
}
