internal import Assembly
internal import Configuration
internal import Runtime

/// The process that tells others what was revoked: read model, `chancery.revocations`, feed.
@main enum RevocationProjector {
    private static let purpose = "Serves revocations to others; one per database is active."

    static func main() {
        Lifecycle.prepare()
        Lifecycle.forbidDumps()
        let invocation = ProcessInvocation.read("revocation-projector", purpose)
        let settings = invocation.startSettings(RevocationProjectorSettings.init)
        let files = settings.startFiles
        if let refusal = invocation.refusal("revocation-projector", files: files.refusals) {
            ThisProcess.end(refusal, .configuration)
        }
        do throws(Component.StartFailure) {
            let wiring = try Wiring(settings, isInsecureDev: invocation.isInsecureDev) {
                () throws(Component.ReloadFailure) in
                try invocation.settings(RevocationProjectorSettings.init)
            }
            guard invocation.isCheck else { ThisProcess.exitNow(wiring.run().rawValue) }
            let code = wiring.check()
            guard code == .success else { ThisProcess.exit(code.rawValue) }
            ThisProcess.end(wiring.gate.verdict, .success)
        } catch { ThisProcess.end("revocation-projector: \(error.reason)", error.exitCode) }
    }
}
