import Foundation
import Runtime
import TestSupport
import Testing

/// An address belongs to one process (decision 0166).
@Suite("A token-issuer at an address in use", .timeLimit(.minutes(2))) struct AddressInUseTests {
    @Test(
        "ends, and says which setting and which address, with one loop and with two",
        arguments: ["1", "2"]
    )
    func ends(_ workers: String) async throws {
        let stack = try RunningStack.running()
        let first = try await IssuerProcess(
            beside: stack,
            named: "first",
            ["CHANCERY__NODE__WORKERS": workers]
        )
        defer { first.stop() }
        let address = try #require(first.origin.components(separatedBy: "://").last)
        let folder = IssuerProcess.folder(of: stack)
        let log = "\(folder)/log/second-\(UUID().uuidString.prefix(8)).log"
        defer { try? FileManager.default.removeItem(atPath: log) }
        let programs = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
        var command = ChildCommand(
            programs.appending(path: "token-issuer").path,
            ["--config", "\(folder)/config/token-issuer.yaml", "--insecure-dev"]
        )
        command.environment = ProcessInfo.processInfo.environment.merging([
            "CHANCERY__NODE__NAME": "second",
            "CHANCERY__NODE__WORKERS": workers,
            "CHANCERY__LISTEN__PUBLIC__0": address,
            "CHANCERY__LISTEN__PUBLIC__1": "[::1]:0",
            "CHANCERY__ADMIN__LISTEN": "127.0.0.1:0",
        ]) { $1 }
        command.outputFile = log
        let second = try Processes.start(command)
        var said = ""
        try? await Waiting.until("it says how it went") {
            said = (try? String(contentsOfFile: log, encoding: .utf8)) ?? ""
            return said.contains("did not start") || said.contains("\"started\"")
        }
        if !said.contains("did not start") { second.signal(SIGKILL) }
        #expect(second.waitBlocking() == .exited(75), "\(said.suffix(500))")
        #expect(said.contains("listen.public: \(address) is in use"))
        #expect(!said.contains("\"listening\""))
    }
}
