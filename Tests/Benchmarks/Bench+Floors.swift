import Domain
import Foundation
import Issuing
import Runtime

/// What no answer can do without, measured beside each run of a line.
extension Bench {
    static let constantPost = Wire.refresh([UInt8](repeating: UInt8(ascii: "a"), count: 75))
    static let constantGet = Wire.get("/.well-known/openid-configuration")

    /// Starts the server of constant answers, and shows once what they cost.
    func startFloors() async throws {
        let http: Set<Line> = [
            .refresh, .redeem, .challenge, .grants, .introspect, .userinfo, .discovery,
        ]
        guard !options.lines.isDisjoint(with: http) else { return }
        let costs = try await signatures()
        report.note(
            String(
                format: "one ES256 signature %.1f µs, one verification %.1f µs",
                costs.sign,
                costs.verify
            )
        )
        let process = try Subprocess.run(
            "/usr/bin/taskset",
            [
                "-c", Machine.serverCPU, CommandLine.arguments[0], "--floor-server",
                "\(Stack.floorPort)",
            ]
        )
        floorServer = process
        try stack.waitUntilListening(Stack.floorPort, process)
        let lines = [("constant POST", Self.constantPost), ("constant GET", Self.constantGet)]
        for (name, request) in lines {
            let seconds = min(3, options.seconds)
            report.line(name, try await runs { try await constant(request, seconds: seconds) })
        }
    }

    func stopFloors() {
        floorServer?.terminate()
        floorServer?.waitUntilExit()
    }

    /// Microseconds of a constant answer to `request`, now.
    func constant(_ request: [UInt8]) async throws -> Double {
        try await constant(request, seconds: 1).issuerMicroseconds
    }

    private func constant(_ request: [UInt8], seconds: Double) async throws -> Measurement {
        guard let floorServer else {
            throw Subprocess.Failed(description: "no server of constant answers was started")
        }
        var measured = try await measure(
            port: Stack.floorPort,
            server: floorServer.processIdentifier,
            seconds: seconds,
            warmUp: .milliseconds(500)
        ) { _, _ in request }
        measured.postgresMicroseconds = 0
        return measured
    }

    /// Microseconds of one ES256 signature and of one verification, now.
    func signatures() async throws -> (sign: Double, verify: Double) {
        try await onServerCPU { try $0.signatures() }
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
                seconds: 1
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
