import Runtime

/// Runs paths under callgrind.
struct Counter {
    /// valgrind is missing, or the path failed under it.
    struct Failed: Error, CustomStringConvertible { let description: String }

    private let folder: String

    init(_ folder: String) { self.folder = folder }

    /// Removes what the runs left.
    func clean() {
        _ = try? Processes.start(ChildCommand("/bin/rm", ["-rf", folder])).waitBlocking()
    }

    /// Instructions of one run of a path.
    func count(_ path: HotPath, at index: Int) throws -> Int {
        let whole = try difference(index, "run", path.repeats)
        let aside = path.aside == nil ? 0 : try difference(index, "aside", path.repeats)
        return (whole - aside) / path.repeats
    }

    /// Two processes at a time: a machine that tests has two cores.
    private func difference(_ index: Int, _ part: String, _ count: Int) throws -> Int {
        let once = try start(index, part, count)
        let twice = try start(index, part, 2 * count)
        let first = try instructions(once)
        return try instructions(twice) - first
    }

    private func start(_ index: Int, _ part: String, _ count: Int) throws
        -> (child: ChildProcess, log: String)
    {
        guard let valgrind = Processes.find("valgrind"), let program = ThisProcess.program else {
            throw Failed(description: "valgrind is not installed: deploy/packages test")
        }
        let log = "\(folder)/\(index)-\(part)-\(count).log"
        var command = ChildCommand(
            valgrind,
            [
                "--tool=callgrind", "--callgrind-out-file=/dev/null", program, "--run",
                "\(index)", part, "\(count)", folder,
            ]
        )
        command.environment = [
            "PATH": Environment.value("PATH") ?? "/usr/bin:/bin",
            // Otherwise each process hashes, and so orders, in its own way.
            "SWIFT_DETERMINISTIC_HASHING": "1",
        ]
        command.outputFile = log
        command.endsWithParent = true
        return (try Processes.start(command), log)
    }

    /// Reads `==1== Collected : 12345`.
    private func instructions(_ run: (child: ChildProcess, log: String)) throws -> Int {
        let end = run.child.waitBlocking()
        let bytes = try FileReading.bytes(at: run.log, bytesMax: 1 << 20)
        let text = String(decoding: bytes, as: UTF8.self)
        let line = text.split(separator: "\n").last { $0.contains("Collected :") }
        let number = line?.split(separator: " ").last.flatMap { Int($0) }
        guard end == .exited(0), let number else {
            let last = text.split(separator: "\n").suffix(8).joined(separator: "\n")
            throw Failed(description: "\(run.log): \(end)\n\(last)")
        }
        return number
    }
}
