import Testing

/// A program shows its memory to nobody before it reads the first secret (Security 6).
@Suite("Programs") struct ProgramsTests {
    /// Those that read secrets; dev-broker has none.
    static let programs = [
        "chancery/Chancery", "event-relay/EventRelay", "revocation-projector/RevocationProjector",
        "token-issuer/TokenIssuer",
    ]

    /// What the `main` of a process leaves that to.
    static let frame = "Assembly/ProcessFrame"

    /// Whether nothing but `Lifecycle.prepare()` comes before dumps are forbidden, in `main` or in
    /// the frame that it begins with.
    static func forbidsDumpsFirst(_ file: SourceFile) -> Bool {
        let lines = file.code.map { $0.filter { $0 != " " } }
        let isFrame = file.path.contains(frame)
        guard
            let name = lines.firstIndex(where: {
                $0.contains(isFrame ? "staticfuncrun<" : "staticfuncmain()")
            }),
            let opening = lines[name...].firstIndex(where: { $0.hasSuffix("{") })
        else { return false }
        let first = lines[(opening + 1)...].first { $0 != "Lifecycle.prepare()" }
        return first == "Lifecycle.forbidDumps()" || !isFrame && first == "ProcessFrame.run("
    }

    @Test("forbid dumps before they read anything", arguments: programs + [frame])
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

    @Test("that read a file before are seen", arguments: ["a/A", frame])
    func seesABadSample(_ program: String) {
        let text = """
            static func \(program == Self.frame ? "run<A>" : "main")() {
                Lifecycle.prepare()
                let files = settings.startFiles
                Lifecycle.forbidDumps()
                ProcessFrame.run(Wiring.self)
            }
            """
        let file = SourceFile(path: "Sources/Executables/\(program).swift", text: text)
        #expect(!Self.forbidsDumpsFirst(file))
    }
}
