package import Foundation

/// A program that ran to its end: what it said, and what it returned.
package struct ProgramRun {
    package let said: String
    package let code: Int32

    /// Runs the file at `program`; `changes` go on top of our environment.
    ///
    /// `said` has both outputs, or, without `complaints`, standard output alone.
    package init(
        _ program: URL,
        _ words: [String],
        _ changes: [String: String] = [:],
        complaints: Bool = true,
        in folder: URL? = nil
    ) throws {
        let process = Process()
        process.currentDirectoryURL = folder
        process.executableURL = program
        process.arguments = words
        process.environment = ProcessInfo.processInfo.environment.merging(changes) { $1 }
        let output = Pipe()
        process.standardOutput = output
        if complaints { process.standardError = output }
        try process.run()
        let bytes = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        said = String(decoding: bytes, as: UTF8.self)
        code = process.terminationStatus
    }

    /// Runs a program of this build: they stand beside the tests' own.
    package init(
        ours name: String,
        _ words: [String],
        _ changes: [String: String] = [:],
        complaints: Bool = true,
        in folder: URL? = nil
    ) throws {
        try self.init(Self.ours(name), words, changes, complaints: complaints, in: folder)
    }

    /// The file of a program of this build.
    package static func ours(_ name: String) -> URL {
        URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().appending(path: name)
    }
}
