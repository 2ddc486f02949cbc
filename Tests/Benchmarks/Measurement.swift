import Runtime

/// What one line of the table measured, per request.
struct Measurement {
    var load = LoadGenerator.Result()
    var issuerMicroseconds = 0.0
    var postgresMicroseconds = 0.0
    var residentBytes = 0
    /// Commands in one append call, on average.
    var batch = 0.0
    /// Of one CPU, what the load generator itself used: near 1 the rate is its own.
    var generatorShare = 0.0

    /// Microseconds that no request can do without, measured beside this run; 0: not measured.
    var floors = 0.0
    /// Microseconds of a request that the ratio leaves out.
    var apart = 0.0

    var rate: Double { Double(load.requests) / max(load.seconds, 1e-9) }
    var microseconds: Double { issuerMicroseconds + postgresMicroseconds }
    /// What a request costs against its floors; 0 without them.
    var ratio: Double { floors > 0 ? (microseconds - apart) / floors : 0 }
}

/// Measures CPU of the server side while load runs.
struct Meter {
    let stack: Stack
    private let issuerAtStart: UInt64
    private let postgresAtStart: FamilyTime
    private let generatorAtStart: UInt64

    init(_ stack: Stack, server: Int32) {
        self.stack = stack
        issuerAtStart = Machine.cpuNanoseconds(of: server)
        postgresAtStart = FamilyTime(of: stack.postgresProcess)
        generatorAtStart = Machine.cpuNanoseconds(of: ThisProcess.number)
    }

    func finish(_ load: LoadGenerator.Result, server: Int32) -> Measurement {
        let count = Double(max(1, load.requests)) * 1000
        let issuer = Machine.cpuNanoseconds(of: server) - issuerAtStart
        let postgres = FamilyTime(of: stack.postgresProcess).spent(since: postgresAtStart)
        let generator = Machine.cpuNanoseconds(of: ThisProcess.number) - generatorAtStart
        return Measurement(
            load: load,
            issuerMicroseconds: Double(issuer) / count,
            postgresMicroseconds: Double(postgres) / count,
            residentBytes: Machine.residentBytes(of: server),
            generatorShare: Double(generator) / max(1, load.seconds * 1e9)
        )
    }
}
