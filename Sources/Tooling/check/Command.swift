import Foundation

/// A child process whose output goes to a file, stopped with all its own children when it is late.
struct Command {
    var words: [String]
    var environment: [String: String]
    var secondsMax: Int
    /// Where standard output and standard error go.
    var log: URL

    /// Whether it gives way to all that runs beside it.
    var givesWay = false

    /// Runs it to its end, as one of `children`.
    ///
    /// - Returns: the exit status; 124 when it was stopped for being late.
    func run(_ children: Children) -> Int32 {
        guard FileManager.default.createFile(atPath: log.path, contents: nil),
            let output = try? FileHandle(forWritingTo: log)
        else { return 73 }
        defer { try? output.close() }
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        // timeout(1) makes a process group, and ends all of it. A thread of ours may block signals.
        // A policy and no niceness: swift build takes that off its compilers again.
        let signals = ["--default-signal=INT,TERM,HUP"]
        // Told otherwise, a build leaves its compilers behind.
        let limit = ["timeout", "--signal=INT", "--kill-after=10", "\(secondsMax)"]
        process.arguments = signals + limit + (givesWay ? ["chrt", "--idle", "0"] : []) + words
        process.environment = environment
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = output
        do { try children.run(process) } catch { return 127 }
        return process.terminationStatus
    }

    /// The last lines of the log, for a failure that named no test.
    func tail(_ lines: Int) -> String {
        let text = (try? String(contentsOf: log, encoding: .utf8)) ?? ""
        return text.split(separator: "\n").suffix(lines).joined(separator: "\n")
    }

    /// The lines of a compiler's output that say what is wrong, else its last lines.
    func complaints() -> String {
        let text = (try? String(contentsOf: log, encoding: .utf8)) ?? ""
        let errors = text.split(separator: "\n").filter { $0.contains("error:") }
        return errors.isEmpty ? tail(30) : errors.prefix(30).joined(separator: "\n")
    }
}
