import Foundation

/// Programs a benchmark runs.
enum Subprocess {
    enum Output { case discarded, inherited, file(String) }

    struct Failed: Error, CustomStringConvertible { let description: String }

    static func run(_ path: String, _ arguments: [String], output: Output = .inherited) throws
        -> Process
    {
        let process = Process()
        process.executableURL = URL(filePath: path)
        process.arguments = arguments
        switch output {
        case .discarded:
            process.standardOutput = FileHandle.nullDevice
            process.standardError = FileHandle.nullDevice
        case .inherited: break
        case .file(let name):
            _ = FileManager.default.createFile(atPath: name, contents: nil)
            let handle = FileHandle(forWritingAtPath: name)
            process.standardOutput = handle
            process.standardError = handle
        }
        process.standardInput = FileHandle.nullDevice
        try process.run()
        return process
    }

    /// Runs to the end.
    static func check(_ path: String, _ arguments: [String], output: Output = .discarded) throws {
        let process = try run(path, arguments, output: output)
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw Failed(description: "\(path) \(arguments.joined(separator: " ")) failed")
        }
    }
}
