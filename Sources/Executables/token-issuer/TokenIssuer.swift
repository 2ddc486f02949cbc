internal import Assembly
internal import Configuration
internal import Runtime

/// The process that issues: everything a client or browser talks to.
@main enum TokenIssuer {
    private static let program = "token-issuer"

    static func main() {
        ProcessFrame.run(
            Wiring.self,
            program,
            "Issues, refreshes, introspects and revokes tokens.",
            look: lookAtKeys
        )
    }

    /// Looks at the keys; where there are none yet, whether the first start may make them.
    ///
    /// After all else: it may run a program, as the user and on the machine that are right.
    private static func lookAtKeys(
        _ settings: TokenIssuerSettings,
        _ files: StartFiles,
        _ invocation: ProcessInvocation
    ) throws(Component.StartFailure) {
        switch files.lookAtKeys() {
        case .refused(let line): throw Component.StartFailure(.configuration, line)
        case .away(let line): throw Component.StartFailure(.temporaryFailure, line)
        case .absent:
            let loops = Wiring.loopNames(settings).prefix(1)
            let frame = try ProcessFrame(program, settings, invocation, loops: Array(loops))
            try Wiring.lookWithoutKeys(frame)
        case .present: break
        }
    }
}
