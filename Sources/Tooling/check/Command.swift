import Foundation

/// A child process whose output goes to a file, stopped with all its own children when it is late.
struct Command {
    var words: [String]
    var environment: [String: String]
    var secondsMax: Int
    /// Where standard output and standard error go.
    var log: URL

    /// Runs it to its end.
    ///
    /// - Parameter progress: called every second with the seconds so far.
    /// - Returns: the exit status; 124 when it was stopped for being late.
    func run(progress: (Int) -> Void) -> Int32 {
        guard FileManager.default.createFile(atPath: log.path, contents: nil),
            let output = try? FileHandle(forWritingTo: log)
        else { return 73 }
        defer { try? output.close() }
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        // timeout(1) makes a process group, and ends all of it.
        process.arguments = ["timeout", "--kill-after=10", "\(secondsMax)"] + words
        process.environment = environment
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = output
        do { try process.run() } catch { return 127 }
        Interrupts.watch(process)
        defer { Interrupts.watch(nil) }
        let start = ContinuousClock.now
        var seconds = 0
        while process.isRunning {
            Thread.sleep(forTimeInterval: 0.05)
            let elapsed = Int((ContinuousClock.now - start).components.seconds)
            guard elapsed > seconds else { continue }
            seconds = elapsed
            progress(seconds)
        }
        process.waitUntilExit()
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
