import Foundation
import TestSupport
import Testing

/// `deploy/dev` and `deploy/bench`, which build for minutes before their programs can say a word.
@Suite("Scripts that build") struct ScriptsTests {
    /// The words of a command line, and the one among them that is wrong.
    static let mistakes: [(script: String, words: [String], wrong: String)] = [
        ("bench", ["refreshes"], "refreshes"), ("bench", ["refresh", "--fast"], "--fast"),
        ("bench", ["--runs", "2", "3"], "3"), ("bench", ["N"], "N"),
        ("dev", ["walk"], "walk"), ("dev", ["--port", "0", "--issuer", "2"], "--issuer"),
        ("dev", ["--walk", "0"], "0"), ("dev", [""], ""),
    ]
    @Test("name a word that nobody understands before they build", arguments: mistakes)
    func refuses(_ mistake: (script: String, words: [String], wrong: String)) throws {
        let run = try Self.run(mistake.script, mistake.words)
        #expect(run.code == 64, "\(run.said)")
        #expect(run.said.components(separatedBy: "\n")[0].hasSuffix(" \(mistake.wrong)"))
    }

    static let rights: [(script: String, words: [String])] = [
        ("bench", []), ("bench", ["--strict", "refresh", "--runs", "1", "--json", "start"]),
        ("dev", []), ("dev", ["--walk", "--port", "0", "--issuers", "2", "--services"]),
        ("dev", ["--port=0", "--directory", "there"]),
    ]
    @Test("go on to build with words that somebody understands", arguments: rights)
    func passes(_ right: (script: String, words: [String])) throws {
        let run = try Self.run(right.script, right.words)
        #expect(run.code == 3, "\(run.said)")
    }

    /// Runs a script in a checkout whose `deploy/packages`, the first step, ends with 3.
    private static func run(_ script: String, _ words: [String]) throws -> ProgramRun {
        let files = FileManager.default
        let checkout = files.temporaryDirectory
            .appending(path: "scripts-\(UUID().uuidString.prefix(8))")
        defer { try? files.removeItem(at: checkout) }
        let deploy = checkout.appending(path: "deploy")
        try files.createDirectory(at: deploy, withIntermediateDirectories: true)
        for folder in ["Sources", "Tests"] {
            try files.createSymbolicLink(
                at: checkout.appending(path: folder),
                withDestinationURL: SourceTree.root.appending(path: folder)
            )
        }
        let file = deploy.appending(path: script)
        try files.copyItem(at: SourceTree.root.appending(path: "deploy/\(script)"), to: file)
        let packages = deploy.appending(path: "packages")
        try Data("#!/bin/sh\nexit 3\n".utf8).write(to: packages)
        try files.setAttributes([.posixPermissions: 0o755], ofItemAtPath: packages.path)
        return try ProgramRun(file, words)
    }
}
