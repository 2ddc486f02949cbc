import Foundation
import Runtime

/// A broker as a child that can be killed and started again.
final class BrokerProcess: Sendable {
    private let command: ChildCommand
    private let directory: String
    private let readyText: String
    private let log: String
    private let child = Guarded<ChildProcess?>(nil)
    // Children end with the thread that started them: this one lives as long as the process.
    private let loop: Loop

    init(
        _ command: ChildCommand,
        directory: String,
        readyText: String
    ) throws(PrivateBroker.Unavailable) {
        self.directory = directory
        self.readyText = readyText
        log = "\(directory)/broker.log"
        var command = command
        command.endsWithParent = true
        command.outputFile = log
        self.command = command
        do {
            try FileManager.default.createDirectory(
                atPath: directory,
                withIntermediateDirectories: true
            )
            loop = try Loop(name: "broker")
            try Self.removeWhenWeEnd(directory)
        } catch { throw PrivateBroker.Unavailable(description: "\(error)") }
        loop.start()
    }

    /// Leaves a shell behind that removes the files after our end; the broker ends with us.
    private static func removeWhenWeEnd(_ directory: String) throws(SystemError) {
        let script = "while kill -0 $1; do sleep 1; done; sleep 3; rm -rf \"$2\""
        var command = ChildCommand("/bin/sh", ["-c", script, "sh", "\(getpid())", directory])
        command.outputFile = "/dev/null"
        _ = try Processes.start(command)
    }

    /// Starts it and waits, up to three minutes, until it says that it is ready.
    func start() throws(PrivateBroker.Unavailable) {
        try? FileManager.default.removeItem(atPath: log)
        let started = DispatchSemaphore(value: 0)
        loop.post { [self] in
            child.replace(with: try? Processes.start(command))
            started.signal()
        }
        started.wait()
        for _ in 0..<9000 {
            if let text = try? String(contentsOfFile: log, encoding: .utf8),
                text.contains(readyText)
            {
                return
            }
            usleep(20_000)
        }
        throw PrivateBroker.Unavailable(description: "the broker did not start, see \(log)")
    }

    func kill() {
        guard let child = child.current else { return }
        child.signal(SIGKILL)
        _ = child.waitBlocking()
    }

    func end() {
        kill()
        loop.stop()
        try? FileManager.default.removeItem(atPath: directory)
    }
}
