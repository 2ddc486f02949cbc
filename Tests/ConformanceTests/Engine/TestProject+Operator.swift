import TestSupport
import Testing

extension TestProject {
    /// What the operator's program says of this project, and what it returns.
    func chancery(_ words: [String]) throws -> (said: String, code: Int32) {
        let facts = stack.facts
        let place = ["--project", id, "--admin", facts["ADMIN_URL"] ?? ""]
        let run = try ProgramRun(
            ours: "chancery",
            words + place,
            ["ADMIN_TOKEN": facts["ADMIN_TOKEN"] ?? ""]
        )
        return (run.said, run.code)
    }

    /// That it did what was ordered, and said so in these parts.
    func expectDone(
        _ words: [String],
        _ parts: String...,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let (said, code) = try chancery(words)
        #expect(code == 0, "\(said)", sourceLocation: sourceLocation)
        for part in parts {
            #expect(said.contains(part), "\(said)", sourceLocation: sourceLocation)
        }
    }
}
