import Foundation

/// A whole Chancery to test from outside: the one `ISSUER_URL` names, else one of our own.
///
/// Our own is `chancery dev` with the programs of this build, in a folder below `.build`, new each
/// time. It ends with the process, however that ends: its keeper, a shell, waits for the end of a
/// pipe we hold.
package final class RunningStack: Sendable {
    /// Why there is none.
    package struct Unavailable: Error, CustomStringConvertible {
        package let description: String
    }

    /// Where clients reach it: no path, no slash at the end.
    package let issuer: String
    /// The token-issuers behind it, on one database: two, but where `ISSUER_URL` names one alone.
    package var nodes: [String] { [issuer] + [facts["ISSUER2"]].compactMap(\.self) }
    /// The facts of `dev.env`, such as `MAIL_PAGE` and `CLIENT_WEB`.
    package let facts: [String: String]
    private let keeper: Process?
    private let lifeline: Pipe?

    private static let shared = Result { () throws(Unavailable) in try RunningStack(issuers: 2) }

    /// The stack of this process, started by the first test that asks.
    package static func running() throws -> RunningStack { try shared.get() }

    /// One more, of one issuer and on a broker and a database of its own, for a test that disturbs
    /// those; it ends with `end`.
    package static func own(named name: String) throws -> RunningStack {
        try RunningStack(issuers: 1, named: name)
    }

    /// Ends one that is a test's own, and waits until it has ended.
    package func end() {
        try? lifeline?.fileHandleForWriting.close()
        keeper?.waitUntilExit()
    }

    /// With a `name` one of our own, in a folder of that name.
    private init(issuers: Int, named name: String? = nil) throws(Unavailable) {
        var environment = ProcessInfo.processInfo.environment
        if name == nil, let url = environment["ISSUER_URL"] {
            issuer = url
            facts = environment
            keeper = nil
            lifeline = nil
            return
        }
        let kind = name ?? "stack"
        let folder = Self.checkout.appending(path: ".build/\(kind)-\(getpid())")
        // What is published there is one log's alone.
        if name != nil { environment.merge(["KAFKA_BOOTSTRAP": "", "KAFKA_HOME": ""]) { $1 } }
        let pipe = Pipe()
        let process = Process()
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments = [
            "-c", Self.script, "keeper", Self.program, folder.path, "\(issuers)",
            "\(kind)-log",
        ]
        process.environment = environment
        process.currentDirectoryURL = Self.checkout
        process.standardInput = pipe
        let output = Pipe()
        process.standardOutput = output
        do { try process.run() } catch {
            throw Unavailable(description: "cannot run /bin/sh: \(error)")
        }
        let answer = Self.firstLine(of: output.fileHandleForReading)
        guard answer == "ready" else {
            throw Unavailable(description: "chancery dev did not start: \(answer)")
        }
        facts = Self.facts(in: folder.appending(path: "dev.env"))
        issuer = facts["ISSUER"] ?? ""
        keeper = process
        lifeline = pipe
    }

    private static let checkout = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// Beside the tests' own program.
    private static var program: String {
        URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
            .appending(path: "chancery").path
    }

    /// Runs `chancery dev` until its facts are written, then until our pipe ends.
    ///
    /// Its logs stay in `.build/check/stack-log`, those of a test's own under its name.
    ///
    /// On any free ports: several checkouts and stages may test at once on one machine.
    private static let script = """
        program=$1 folder=$2 issuers=$3 log=$4
        # Nobody may be left to hear that it is ready; then it ends like any other.
        trap : PIPE
        mkdir -p "$folder"
        "$program" dev --directory "$folder" --port 0 --issuers "$issuers" >"$folder.out" 2>&1 \\
          </dev/null &
        stack=$!
        tries=0
        until [ -s "$folder/dev.env" ]; do
          tries=$((tries + 1))
          if [ $tries -gt 3000 ] || ! kill -0 $stack 2>/dev/null; then
            tail -n 3 "$folder.out" | tr '\\n' ' '
            kill -INT $stack 2>/dev/null
            exit 1
          fi
          sleep 0.1
        done
        echo ready
        exec >/dev/null
        read -r _
        kill -INT $stack
        wait $stack
        exec 2>/dev/null
        # What the programs said, until the next stack ends: a test may have failed for it.
        mkdir -p .build/check
        rm -rf ".build/check/$log"
        mv "$folder/log" ".build/check/$log"
        rm -rf "$folder" "$folder.out"
        """

    private static func facts(in file: URL) -> [String: String] {
        let text = (try? String(contentsOf: file, encoding: .utf8)) ?? ""
        let pairs = text.split(separator: "\n").compactMap { line -> (String, String)? in
            guard !line.hasPrefix("#"), let sign = line.firstIndex(of: "=") else { return nil }
            let value = line[line.index(after: sign)...].filter { $0 != "'" }
            return (String(line[..<sign]), String(value))
        }
        return Dictionary(pairs) { $1 }
    }

    private static func firstLine(of handle: FileHandle) -> String {
        var line: [UInt8] = []
        while let byte = try? handle.read(upToCount: 1)?.first, byte != UInt8(ascii: "\n") {
            line.append(byte)
        }
        return line.isEmpty ? "no answer" : String(decoding: line, as: UTF8.self)
    }
}
