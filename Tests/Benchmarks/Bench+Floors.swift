import Domain
import Foundation
import Issuing
import Runtime

/// What no answer can do without, measured in the same run.
extension Bench {
    func measureFloors() async throws {
        let http: Set<Line> = [
            .refresh, .redeem, .challenge, .grants, .introspect, .userinfo, .discovery,
        ]
        guard !options.lines.isDisjoint(with: http) else { return }
        let signatures = try await onServerCPU { try $0.signatures() }
        (signature, verification) = (signatures.sign, signatures.verify)
        report.note(
            String(
                format: "one ES256 signature %.1f µs, one verification %.1f µs",
                signature,
                verification
            )
        )
        let process = try Subprocess.run(
            "/usr/bin/taskset",
            [
                "-c", Machine.serverCPU, CommandLine.arguments[0], "--floor-server",
                "\(Stack.floorPort)",
            ]
        )
        defer {
            process.terminate()
            process.waitUntilExit()
        }
        try stack.waitUntilListening(Stack.floorPort, process)
        let token = [UInt8](repeating: UInt8(ascii: "a"), count: 75)
        constantPost = try await constant("constant POST", Wire.refresh(token), process)
        let discovery = Wire.get("/.well-known/openid-configuration")
        constantGet = try await constant("constant GET", discovery, process)
    }

    private func constant(_ name: String, _ request: [UInt8], _ process: Process) async throws
        -> Double
    {
        var runs: [Measurement] = []
        for _ in 0..<options.runs {
            var measured = try await measure(
                port: Stack.floorPort,
                server: process.processIdentifier,
                seconds: min(3, options.seconds)
            ) { _, _ in request }
            measured.postgresMicroseconds = 0
            runs.append(measured)
        }
        let all = Runs(runs, by: \.microseconds)
        report.line(name, all)
        return all.median.issuerMicroseconds
    }

    func appendFloor(
        _ type: Int16,
        _ sessions: some Collection<Seeds.Session>,
        batch: Double,
        browser: Bool
    ) async throws -> Double {
        try await onServerCPU { floors in
            let names = seeds.names
            let config = names.projectConfig(seeds.project)
            let version = try await floors.version(of: config)
            var guards: [[StreamGuard]] = []
            for session in sessions.prefix(256) {
                var held = [
                    StreamGuard(stream: session.subject.stream, version: 1),
                    StreamGuard(stream: config, version: version),
                ]
                if browser {
                    let stream = session.browser.stream
                    let head = try await floors.version(of: stream)
                    held.append(StreamGuard(stream: stream, version: head))
                }
                guards.append(held)
            }
            let template = try await floors.template(type: type, guards: guards)
            return try await floors.append(
                template,
                batch: max(1, Int(batch.rounded())),
                seconds: min(3, options.seconds)
            )
        }
    }

    /// Runs floors where the server runs.
    func onServerCPU<Answer>(_ body: (Floors) async throws -> Answer) async throws -> Answer {
        let floors = try Floors(stack, on: loop)
        try Machine.move(to: Machine.serverCPU)
        do {
            try await floors.connect()
            let answer = try await body(floors)
            floors.stop()
            try Machine.move(to: Machine.loadCPU)
            return answer
        } catch {
            floors.stop()
            try Machine.move(to: Machine.loadCPU)
            throw error
        }
    }
}
