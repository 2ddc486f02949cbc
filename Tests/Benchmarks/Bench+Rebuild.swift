import Foundation

/// How fast a read model is made anew from the log, its start and its switch included.
extension Bench {
    func rebuilds(_ log: LogQueries) async throws {
        if stack.process(of: "event-relay") == 0 { try stack.start("event-relay") }
        if stack.process(of: "revocation-projector") == 0 {
            try stack.start("revocation-projector", on: Machine.loadCPU, waitingFor: "/livez")
        }
        report.progress("relay and projector catch up")
        try await untilFollowed(log)
        var rates: [Double] = []
        for _ in 0..<options.runs {
            rates.append(try stack.rebuild())
            try await untilFollowed(log)
        }
        let events = try await log.eventCount()
        report.figure(
            "chancery replay revocation",
            Runs(rates),
            "events/s",
            digits: 0,
            bar: .atLeast(100_000),
            note: "\(events) events, start and switch included"
        )
    }
}

extension Stack {
    /// Events a second of one `chancery replay`.
    fileprivate func rebuild() throws -> Double {
        let file = "\(directory)/replay.json"
        let replay = try Subprocess.run(
            "/usr/bin/taskset",
            [
                "-c", Machine.loadCPU,
            ] + Self.untuned + [
                "\(Self.programs)/chancery", "replay", "revocation",
                "--config", "\(directory)/operator.yaml", "--user", "postgres", "--json",
            ],
            output: .file(file)
        )
        replay.waitUntilExit()
        let text = try Data(contentsOf: URL(filePath: file))
        guard replay.terminationStatus == 0,
            let answer = try JSONSerialization.jsonObject(with: text) as? [String: Any],
            let rate = answer["events_per_second"] as? Double
        else {
            let answer = String(decoding: text, as: UTF8.self)
            throw Subprocess.Failed(description: "chancery replay: \(answer)")
        }
        return rate
    }
}
