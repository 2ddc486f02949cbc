import Foundation
import Runtime
import TestSupport
import Testing

@Suite("Processes", .timeLimit(.minutes(1))) struct ProcessTests {
    private func shell(_ script: String) -> ChildCommand {
        ChildCommand("/bin/sh", ["-c", script])
    }

    private func run(_ command: ChildCommand) async throws -> ChildProcess.End {
        let loop = try Loop.running()
        defer { loop.end() }
        let child = try Processes.start(command)
        let end = Guarded<ChildProcess.End?>(nil)
        await loop.spawn { end.replace(with: await child.wait(on: loop)) }.value
        return try #require(end.current)
    }

    @Test("a child's code and signal arrive on the loop") func ends() async throws {
        #expect(try await run(shell("exit 0")) == .exited(0))
        #expect(try await run(shell("exit 78")) == .exited(78))
        #expect(try await run(shell("kill -9 $$")) == .signalled(9))
        #expect(try await run(shell("sleep 0.05; exit 3")) == .exited(3))
    }

    @Test("output, directory and environment are as told") func surroundings() async throws {
        let file = NSTemporaryDirectory() + "out-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: file) }
        var command = shell("pwd; echo $WORD; echo oops >&2; ls /proc/self/fd | wc -l")
        command.environment = ["WORD": "hello", "PATH": "/usr/bin:/bin"]
        command.directory = "/usr"
        command.outputFile = file
        #expect(try await run(command) == .exited(0))
        let text = try String(contentsOfFile: file, encoding: .utf8)
        #expect(text.split(separator: "\n").prefix(3) == ["/usr", "hello", "oops"])
        let open = text.split(separator: "\n").last.flatMap {
            Int($0.trimmingCharacters(in: .whitespaces))
        }
        #expect(try #require(open) <= 4)  // 0, 1, 2 and the one ls opened.
    }

    @Test("a missing program is an error of start") func missing() {
        #expect(throws: SystemError(call: "execve", number: ENOENT)) {
            try Processes.start(ChildCommand("/nowhere/at/all"))
        }
    }

    @Test(
        "another user is dropped to",
        .enabled(if: getuid() == 0, "only root can drop its rights")
    )
    func user() async throws {
        var command = shell("test $(id -u) = 65534 && test $(id -G | wc -w) = 1")
        command.user = Processes.user(named: "nobody")
        #expect(command.user != nil)
        #expect(try await run(command) == .exited(0))
    }

    @Test("a child that is to end with its parent does", arguments: [nil, "nobody"] as [String?])
    func orphan(_ user: String?) async throws {
        // Only root can drop its rights.
        guard user == nil || getuid() == 0 else { return }
        let loop = try Loop.running()
        let child = Guarded<ChildProcess?>(nil)
        await loop.spawn {
            var command = ChildCommand("/bin/sh", ["-c", "exec sleep 20"])
            command.endsWithParent = true
            command.user = user.flatMap { Processes.user(named: $0) }
            child.replace(with: try? Processes.start(command))
        }.value
        loop.end()
        #expect(try #require(child.current).waitBlocking() == .signalled(SIGTERM))
    }

    @Test("a terminated child is reported as such") func terminated() async throws {
        let child = try Processes.start(shell("exec sleep 30"))
        child.signal(SIGTERM)
        #expect(child.waitBlocking() == .signalled(SIGTERM))
    }

    private func filter(_ script: String, _ time: Duration = .seconds(20))
        throws(Processes.FilterFailure) -> [UInt8]
    {
        let input = Secret(Array("a secret".utf8))
        let output = try Processes.filter(input, through: shell(script), bytesMax: 8, within: time)
        return output.withBytes { span in span.indices.map { span[$0] } }
    }

    @Test("a filter reads what it is given to its end, and what it writes is the answer")
    func filtering() throws {
        #expect(try filter("cat") == Array("a secret".utf8))
        #expect(try filter("true") == [])
        #expect(try filter("printf one; sleep 0.05; printf two") == Array("onetwo".utf8))
        // With nothing open that it did not need.
        #expect(try filter("ls /proc/self/fd | wc -l | tr -dc 0-9") == Array("4".utf8))
    }

    @Test("a filter that says too much, ends badly, or is late is killed and named")
    func badFilters() throws {
        #expect(throws: Processes.FilterFailure.long) {
            try filter("printf 123456789; exec sleep 60")
        }
        #expect(throws: Processes.FilterFailure.ended(.exited(1))) { try filter("cat; exit 1") }
        #expect(throws: Processes.FilterFailure.ended(.signalled(SIGKILL))) {
            try filter("cat; kill -9 $$")
        }
        let begin = MonotonicInstant.now()
        for script in ["exec sleep 60", "cat; exec sleep 60 >&-", "cat; sleep 5 & exit 0"] {
            #expect(throws: Processes.FilterFailure.late) { try filter(script, .seconds(1)) }
        }
        #expect(MonotonicInstant.now().since(begin) < .seconds(30))
    }

    @Test("what a filter has started ends with it") func orphans() throws {
        let file = NSTemporaryDirectory() + "orphan-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: file) }
        let script = "sleep 60 & echo $! > \(file); printf 123456789; wait"
        #expect(throws: Processes.FilterFailure.long) { try filter(script) }
        let text = try String(contentsOfFile: file, encoding: .utf8)
        let number = try #require(Int32(text.trimmingCharacters(in: .newlines)))
        let end = MonotonicInstant.now().advanced(by: .seconds(20))
        // Gone, or a zombie that nobody has waited for yet.
        var isOver = false
        while !isOver, MonotonicInstant.now() < end {
            let status = try? String(contentsOfFile: "/proc/\(number)/stat", encoding: .utf8)
            isOver = status == nil || status?.contains(") Z ") == true
            usleep(1_000)
        }
        #expect(isOver)
    }

    @Test("programs are found on PATH") func find() {
        #expect(Processes.find("sh")?.hasSuffix("/sh") == true)
        #expect(Processes.find("no-such-program-at-all") == nil)
    }
}
