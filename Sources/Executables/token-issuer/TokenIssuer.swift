internal import Assembly
internal import Configuration
internal import Runtime

/// The process that issues: everything a client or browser talks to.
@main enum TokenIssuer {
    private static let purpose = "Issues, refreshes, introspects and revokes tokens."

    static func main() {
        Lifecycle.prepare()
        Lifecycle.forbidDumps()
        let invocation = ProcessInvocation(CommandLine.arguments.dropFirst())
        if let early = invocation.early("token-issuer", purpose) {
            end(early.text, early.code)
        }
        let settings = read(invocation)
        let files = StartFiles(settings)
        if let refusal = invocation.refusal("token-issuer", files: files.refusals) {
            end(refusal, .configuration)
        }
        // After all else: it may run a program, as the user and on the machine that are right.
        let keys = files.lookAtKeys()
        if case .refused(let line) = keys { end("token-issuer: \(line)", .configuration) }
        if case .away(let line) = keys { end("token-issuer: \(line)", .temporaryFailure) }
        do throws(Component.StartFailure) {
            if invocation.isCheck, keys == .absent {
                let isInsecureDev = invocation.isInsecureDev
                let check = try Wiring.checkWithoutKeys(settings, isInsecureDev: isInsecureDev)
                guard check.code == .success else { ThisProcess.exit(check.code.rawValue) }
                end(check.verdict, .success)
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
            end(wiring.gate.verdict, .success)
        } catch { end("token-issuer: \(error.reason)", error.exitCode) }
    }

    private static func read(_ invocation: ProcessInvocation) -> TokenIssuerSettings {
        do throws(ProcessInvocation.Unreadable) {
            let document = try invocation.document()
            do throws(ConfigurationError) { return try TokenIssuerSettings(document) } catch {
                throw ProcessInvocation.Unreadable(error, in: invocation.configPath)
            }
        } catch { end(error.text, .configuration) }
    }

    private static func end(_ text: String, _ code: ExitCode) -> Never {
        if code == .success { Terminal.say(text) } else { Terminal.complain(text) }
        ThisProcess.exit(code.rawValue)
    }
}
