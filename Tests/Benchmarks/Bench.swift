import Domain
import Foundation
import Issuing
import Runtime

/// One run: a stack, its sessions, and the lines over them.
final class Bench {
    static let connections = 64
    static let activeMax = 1_024

    let options: Options
    let stack: Stack
    let loop: Loop
    let report = Report()
    /// Answers of the constant server, microseconds.
    var constantPost = 0.0
    var constantGet = 0.0
    var signature = 0.0
    var verification = 0.0

    init(_ options: Options, _ stack: Stack, on loop: Loop) {
        self.options = options
        self.stack = stack
        self.loop = loop
    }

    // MARK: Load

    /// Runs `script` against `port` and measures the process that serves it.
    func measure(
        port: UInt16 = Stack.port,
        server: Int32? = nil,
        seconds: Double? = nil,
        connections: Int = Bench.connections,
        _ script: @escaping LoadGenerator.Script
    ) async throws -> Measurement {
        let server = server ?? stack.issuerProcess
        let isIssuer = server == stack.issuerProcess
        let generator = LoadGenerator(
            on: loop,
            to: .loopback(port: port),
            script: script
        )
        let before = isIssuer ? batches() : (commands: 0, calls: 0)
        var meter: Meter?
        let load = try await generator.run(
            connections: connections,
            warmUp: .milliseconds(1500),
            measure: .seconds(seconds ?? options.seconds)
        ) { meter = Meter(stack, server: server) }
        guard var measured = meter?.finish(load, server: server) else {
            throw Subprocess.Failed(description: "nothing was measured")
        }
        if isIssuer {
            let after = batches()
            measured.batch = (after.commands - before.commands) / max(1, after.calls - before.calls)
        }
        return measured
    }

    private func batches() -> (commands: Double, calls: Double) {
        (
            stack.metric("chancery_append_batch_commands_sum"),
            stack.metric("chancery_append_batch_commands_count")
        )
    }

    /// Rotates each session's token, a connection's sessions in turn.
    func rotation(_ sessions: [Seeds.Session], _ tokens: TokenBook) -> LoadGenerator.Script {
        let perConnection = max(1, sessions.count / Self.connections)
        var next = [Int](repeating: 0, count: Self.connections)
        return { connection, answer in
            let base = connection * perConnection
            if let answer, answer.status == 200,
                let token = Wire.member("refresh_token", of: answer.body)
            {
                tokens.refresh[(base + next[connection]) % sessions.count] = token
                tokens.access[(base + next[connection]) % sessions.count] =
                    Wire.member("access_token", of: answer.body) ?? []
            }
            if answer != nil { next[connection] = (next[connection] + 1) % perConnection }
            return Wire.refresh(tokens.refresh[(base + next[connection]) % sessions.count])
        }
    }

    // MARK: Floors

    func measureConstants() async throws {
        let floor = try Subprocess.run(
            "/usr/bin/taskset",
            ["-c", Machine.serverCPU, CommandLine.arguments[0], "--floor-server", "1200"]
        )
        defer {
            floor.terminate()
            floor.waitUntilExit()
        }
        try stack.waitUntilListening(Stack.floorPort)
        let process = floor.processIdentifier
        let request = Wire.refresh([UInt8](repeating: UInt8(ascii: "a"), count: 75))
        let post = try await measure(port: Stack.floorPort, server: process, seconds: 3) { _, _ in
            request
        }
        constantPost = post.issuerMicroseconds
        report.line("constant POST", Self.alone(post), floors: 0)
        let get = Wire.get("/.well-known/openid-configuration")
        let fetched = try await measure(port: Stack.floorPort, server: process, seconds: 3) {
            _,
            _ in get
        }
        constantGet = fetched.issuerMicroseconds
        report.line("constant GET", Self.alone(fetched), floors: 0)
    }

    private static func alone(_ measured: Measurement) -> Measurement {
        var measured = measured
        measured.postgresMicroseconds = 0
        return measured
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

/// The newest tokens of sessions.
final class TokenBook {
    var refresh: [[UInt8]]
    var access: [[UInt8]]

    init(_ sessions: [Seeds.Session]) {
        refresh = sessions.map(\.refreshToken)
        access = sessions.map { _ in [] }
    }
}
