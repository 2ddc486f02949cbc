import Runtime

/// Counts the instructions of hot paths under callgrind and compares them with a table.
///
///     counts            compares: one `ok` or `not ok` a path
///     counts --write    rewrites the table
///
/// A path is run N times and 2N times by a process of its own each; the difference is N runs,
/// without the start of the process.
@main enum Counts {
    static let tableFile = "Tests/Counts/table.txt"
    private static let tolerancePercent = 5.0

    static func main() async throws {
        let words = Array(CommandLine.arguments.dropFirst())
        if words.first == "--run", words.count == 5 { return try await run(words) }
        guard words.isEmpty || words == ["--write"] else {
            Terminal.complain("usage: counts [--write]")
            ThisProcess.exit(64)
        }
        let folder = "\(ThisProcess.directory)/.build/counts-\(ThisProcess.number)"
        let counter = Counter(folder)
        let paths = try await HotPaths(World(folder)).all()
        var counts: [(name: String, count: Int)] = []
        for (index, path) in paths.enumerated() {
            counts.append((path.name, try counter.count(path, at: index)))
            if words.isEmpty { continue }
            Terminal.say("\(counts[index].count)  \(path.name)")
        }
        counter.clean()
        if words.isEmpty { ThisProcess.exit(try compare(counts) ? 0 : 1) }
        let lines = counts.map { "\($0.count)  \($0.name)\n" }.joined()
        try FileWriting.replace(tableFile, with: Array(lines.utf8))
    }

    /// In a child under callgrind: `--run INDEX run|aside COUNT FOLDER`.
    private static func run(_ words: [String]) async throws {
        let paths = try await HotPaths(World(words[4])).all()
        guard let index = Int(words[1]), paths.indices.contains(index), let count = Int(words[3])
        else { ThisProcess.exit(64) }
        let path = paths[index]
        let work = words[2] == "aside" ? path.aside : path.run
        for _ in 0..<count { try await work?() }
    }

    /// Prints a line a path; false when one of them has changed.
    private static func compare(_ counts: [(name: String, count: Int)]) throws -> Bool {
        let text = try FileReading.bytes(at: tableFile, bytesMax: 65_536)
        var table: [String: Int] = [:]
        for line in String(decoding: text, as: UTF8.self).split(separator: "\n") {
            let words = line.split(separator: " ", maxSplits: 1)
            guard words.count == 2, let count = Int(words[0]) else { continue }
            table[String(words[1].drop { $0 == " " })] = count
        }
        var isSame = true
        for (name, count) in counts {
            guard let expected = table.removeValue(forKey: name) else {
                Terminal.say("not ok \(name): \(count) instructions, and no row in \(tableFile)")
                isSame = false
                continue
            }
            let tenths = (count - expected) * 1000 / max(1, expected)
            let change = "\(tenths < 0 ? "-" : "+")\(abs(tenths) / 10).\(abs(tenths) % 10) %"
            let isKept = abs(Double(tenths)) <= tolerancePercent * 10
            Terminal.say("\(isKept ? "ok" : "not ok") \(name): \(count), \(change)")
            isSame = isSame && isKept
        }
        for name in table.keys.sorted() {
            Terminal.say("not ok \(name): in \(tableFile), and no path of this name")
            isSame = false
        }
        if !isSame { Terminal.say("If that was meant: Tests/Counts/run --write") }
        return isSame
    }
}
