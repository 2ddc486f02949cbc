import Foundation
import Testing

/// Each invariant has something that proves it, and the handbook's table is this one.
@Suite("Invariants") struct InvariantsTests {
    @Test("are those of the handbook") func handbook() throws {
        let text = try #require(SourceTree.text("Sources/Handbook.docc/Security.md"))
        let rows = text.split(separator: "\n").compactMap { line -> String? in
            let cell = line.split(separator: "|").first.map {
                $0.trimmingCharacters(in: .whitespaces)
            }
            guard let cell, line.hasPrefix("| I"), Int(cell.dropFirst()) != nil else { return nil }
            return cell
        }
        #expect(rows == (1...24).map { "I\($0)" })
        #expect(Invariant.all.map(\.id).sorted() == rows.sorted())
    }

    @Test("are proven by what is there", arguments: Invariant.all)
    func proven(_ invariant: Invariant) {
        #expect(!invariant.proofs.isEmpty)
        for proof in invariant.proofs {
            #expect(Self.exists(proof, of: invariant.id), "\(proof)")
        }
    }

    @Test(
        "a proof that is gone is seen",
        arguments: [
            .test("ArchitectureTests/InvariantsTests.swift", "no such test"),
            .test("ArchitectureTests/NoTests.swift", "are those of the handbook"),
            // A text that is no test's name.
            .test("ArchitectureTests/InvariantsTests.swift", "no-such-defect"),
            .simulator, .mutant("no-such-defect"), .run("ConformanceTests/none.http"),
        ] as [Invariant.Proof]
    )
    func seesAGap(_ proof: Invariant.Proof) { #expect(!Self.exists(proof, of: "I99")) }

    private static func exists(_ proof: Invariant.Proof, of id: String) -> Bool {
        switch proof {
        case .test(let path, let name):
            SourceTree.all.first { $0.path == "Tests/\(path)" }
                .map { isTest(name, in: $0) } ?? false
        case .simulator:
            SourceTree.files(under: "Tests/Simulation").contains { file in
                file.literals.contains { $0.text == id }
            }
        case .mutant(let name): SourceTree.text("Tests/Mutants/\(name).patch") != nil
        case .run(let path): SourceTree.text("Tests/\(path)") != nil
        }
    }

    /// Whether a `@Test` has this name, or is this function.
    static func isTest(_ name: String, in file: SourceFile) -> Bool {
        file.code.indices.contains { index in
            let line = file.code[index]
            guard line.contains("@Test") else { return false }
            if line.contains("@Test func \(name)(") { return true }
            // Its text stands on the same line, or on the next.
            return file.literals.contains {
                $0.text == name && (index + 1...index + 2).contains($0.line)
            }
        }
    }
}
