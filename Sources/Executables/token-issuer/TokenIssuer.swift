internal import Assembly
internal import Configuration
internal import Runtime

/// The process that issues: everything a client or browser talks to.
@main enum TokenIssuer {
    private static let purpose = "Issues, refreshes, introspects and revokes tokens."

    static func main() {
        Lifecycle.prepare()
        Lifecycle.forbidDumps()
        let invocation = ProcessInvocation.read("token-issuer", purpose)
        let settings = invocation.startSettings(TokenIssuerSettings.init)
        let files = settings.startFiles
        if let refusal = invocation.refusal("token-issuer", files: files.refusals) {
            ThisProcess.end(refusal, .configuration)
        }
        // After all else: it may run a program, as the user and on the machine that are right.
        let keys = files.lookAtKeys()
        switch keys {
        case .refused(let line): ThisProcess.end("token-issuer: \(line)", .configuration)
        case .away(let line): ThisProcess.end("token-issuer: \(line)", .temporaryFailure)
        case .present, .absent: break
        }
        do throws(Component.StartFailure) {
            if invocation.isCheck, keys == .absent {
                let isInsecureDev = invocation.isInsecureDev
                let check = try Wiring.checkWithoutKeys(settings, isInsecureDev: isInsecureDev)
                guard check.code == .success else { ThisProcess.exit(check.code.rawValue) }
                ThisProcess.end(check.verdict, .success)
            }
            if !invocation.isCheck, keys == .absent {
                let isInsecureDev = invocation.isInsecureDev
                let code = try Wiring.checkEmptiness(settings, isInsecureDev: isInsecureDev)
                guard code == .success else { ThisProcess.exit((code ?? .success).rawValue) }
            }
            let wiring = try Wiring(settings, isInsecureDev: invocation.isInsecureDev) {
                () throws(Component.ReloadFailure) in
                try invocation.settings(TokenIssuerSettings.init)
            }
            guard invocation.isCheck else { ThisProcess.exitNow(wiring.run().rawValue) }
            let code = wiring.check()
            guard code == .success else { ThisProcess.exit(code.rawValue) }
            ThisProcess.end(wiring.gate.verdict, .success)
        } catch { ThisProcess.end("token-issuer: \(error.reason)", error.exitCode) }
    }
}
