import Foundation
import Runtime

/// One more process on the database of a running stack, for a test that ends or disturbs it: a
/// `token-issuer`, a `revocation-projector`, or an `event-relay`.
///
/// It takes the settings of the stack's own, or of a file beside them, with other ports, and with
/// changes that environment variables of the form `CHANCERY__SECTION__KEY` make.
package final class IssuerProcess: Sendable {
    package struct Failed: Error, CustomStringConvertible {
        package let description: String
    }

    /// Its public listener, which a relay has none of, and its admin listener.
    package let origin: String
    package let adminOrigin: String
    private let child: ChildProcess
    private let log: String

    /// Starts it, and waits until it listens.
    package init(
        _ program: String = "token-issuer",
        beside stack: RunningStack,
        named name: String,
        settings file: String? = nil,
        _ changes: [String: String] = [:]
    ) async throws {
        let folder = Self.folder(of: stack)
        log = "\(folder)/log/\(name)-\(UUID().uuidString.prefix(8)).log"
        let programs = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
        var command = ChildCommand(
            programs.appending(path: program).path,
            ["--config", file ?? "\(folder)/config/\(program).yaml", "--insecure-dev"]
        )
        var settings = ["CHANCERY__NODE__NAME": name, "CHANCERY__ADMIN__LISTEN": "127.0.0.1:0"]
        let servesNobody = program == "event-relay"
        if !servesNobody {
            settings["CHANCERY__LISTEN__PUBLIC__0"] = "127.0.0.1:0"
            settings["CHANCERY__LISTEN__PUBLIC__1"] = "[::1]:0"
        }
        command.environment = ProcessInfo.processInfo.environment
            .merging(settings) { $1 }.merging(changes) { $1 }
        command.outputFile = log
        child = try Processes.start(command)
        var found: [String: String] = [:]
        let file = log
        try? await Waiting.until("\(program) listens") {
            found = Self.addresses(in: file)
            return found["admin"] != nil
        }
        guard let open = found["public"] ?? (servesNobody ? "" : nil), let admin = found["admin"]
        else {
            child.signal(SIGKILL)
            _ = child.waitBlocking()
            let text = (try? String(contentsOfFile: log, encoding: .utf8)) ?? ""
            throw Failed(description: "\(program) does not listen: \(text.suffix(500))")
        }
        origin = "http://\(open)"
        adminOrigin = "http://\(admin)"
    }

    // A test that throws leaves no process behind; one that has ended stays as it is.
    deinit {
        signal(SIGKILL)
        _ = end()
    }

    /// Where the stack keeps its files.
    package static func folder(of stack: RunningStack) -> String {
        URL(filePath: stack.facts["MAILDIR"] ?? "").deletingLastPathComponent().path
    }

    /// What it has logged so far.
    package var said: String { (try? String(contentsOfFile: log, encoding: .utf8)) ?? "" }

    /// Asks it to end, and waits until it has.
    package func stop() {
        signal(SIGTERM)
        _ = end()
    }

    /// Sends a signal, such as `SIGTERM`.
    package func signal(_ signal: Int32) { child.signal(signal) }

    /// Waits for its end: the code it returned, or nil when a signal ended it.
    package func end() -> Int32? {
        let end = child.waitBlocking()
        try? FileManager.default.removeItem(atPath: log)
        if case .exited(let code) = end { return code }
        return nil
    }

    /// The first address of each listener that says it listens.
    private static func addresses(in log: String) -> [String: String] {
        let text = (try? String(contentsOfFile: log, encoding: .utf8)) ?? ""
        var found: [String: String] = [:]
        for line in text.split(separator: "\n") {
            let object = try? JSONSerialization.jsonObject(with: Data(line.utf8))
            guard let entry = object as? [String: Any], entry["msg"] as? String == "listening",
                let listener = entry["listener"] as? String,
                let address = entry["address"] as? String, found[listener] == nil
            else { continue }
            found[listener] = address
        }
        return found
    }
}
