import Foundation
import TestSupport
import Testing

@testable import check

/// Scripts that build for minutes before their programs can say a word, and what they build with.
@Suite("Scripts that build") struct ScriptsTests {
    /// The words of a command line, and the one among them that is wrong.
    static let mistakes: [(script: String, words: [String], wrong: String)] = [
        ("bench", ["refreshes"], "refreshes"), ("bench", ["refresh", "--fast"], "--fast"),
        ("bench", ["--runs", "2", "3"], "3"), ("bench", ["N"], "N"),
        ("dev", ["walk"], "walk"), ("dev", ["--port", "0", "--issuer", "2"], "--issuer"),
        ("dev", ["--walk", "0"], "0"), ("dev", [""], ""),
        ("test", ["forma"], "forma"), ("test", ["--quick", "--fast"], "--fast"),
        ("test", ["name"], "name"), ("build", ["--all", "--loud"], "--loud"),
        ("build", ["--all", "counts"], "counts"),
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
        ("test", []), ("test", ["--quick"]), ("test", ["--torture-short", "thread-timed-3"]),
    ]
    @Test("go on to build with words that somebody understands", arguments: rights)
    func passes(_ right: (script: String, words: [String])) throws {
        let run = try Self.run(right.script, right.words)
        #expect(run.code == 3, "\(run.said)")
    }

    @Test("know every stage of the check") func stages() throws {
        let names = Stage.all.map(\.name)
        let run = try Self.run("test", names)
        #expect(run.code == 3, "\(run.said)")
    }

    @Test("say their help wherever it is asked for", arguments: ["build", "dev", "test"])
    func help(_ script: String) throws {
        let run = try Self.run(script, ["--quiet", "--help"])
        #expect(run.code == 0 && run.said.contains("  deploy/\(script) "), "\(run.said)")
    }

    /// What `swift --version` says, and whether that is enough.
    static let versions: [(version: String, isEnough: Bool)] = [
        ("5.10.1", false), ("6.2.4", false), ("6.3", true), ("6.3.1", true), ("6.10", true),
        ("7.0", true), ("10.1", true),
    ]
    @Test("look at Swift before they install anything", arguments: versions)
    func swift(_ row: (version: String, isEnough: Bool)) throws {
        let files = FileManager.default
        let folder = files.temporaryDirectory
            .appending(path: "swift-\(UUID().uuidString.prefix(8))")
        try files.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? files.removeItem(at: folder) }
        let asked = folder.appending(path: "asked").path
        let programs = [
            "swift": "echo 'Swift version \(row.version) (of a test)'",
            "dpkg-query": "touch '\(asked)'; echo installed",
        ]
        for (name, words) in programs {
            let program = folder.appending(path: name)
            try Data("#!/bin/sh\n\(words)\n".utf8).write(to: program)
            try files.setAttributes([.posixPermissions: 0o755], ofItemAtPath: program.path)
        }
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        let run = try ProgramRun(
            SourceTree.root.appending(path: "deploy/packages"),
            [],
            ["PATH": "\(folder.path):\(path)"]
        )
        #expect(run.code == (row.isEnough ? 0 : 1), "\(run.said)")
        #expect(files.fileExists(atPath: asked) == row.isEnough)
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
