internal import Configuration
package import HTTPServer
internal import Issuing
package import Runtime
package import WebAPI

extension Component {
    /// A server, which reads its TLS files again at SIGHUP; without `drains` somebody else ends it.
    package static func listener(
        _ name: String,
        _ server: HTTPServer?,
        reloadingOn blocking: BlockingExecutor,
        drains: Bool = true
    ) -> Component {
        Component(
            name,
            start: { () async throws(StartFailure) in
                do throws(ServerError) { try server?.start() } catch {
                    throw notListening(name, error)
                }
            },
            reload: { () async throws(ReloadFailure) in
                try await read(on: blocking) { () throws(ReloadFailure) in
                    do throws(ServerError) { try server?.reload() } catch {
                        throw ReloadFailure("\(error)")
                    }
                }
            },
            stop: { if drains { await server?.drain() } }
        )
    }

    /// Says that the process is going to end, and ends its admin listener.
    ///
    /// Started before all else that listens, it stops after it, so that the end can be watched.
    package static func health(_ health: Health, ending adminServer: HTTPServer?) -> Component {
        Component(
            "health",
            retire: { health.leave() },
            stop: { await adminServer?.drain() }
        )
    }

    /// Why a listener did not start, by the setting that says where it listens.
    private static func notListening(_ name: String, _ error: ServerError) -> StartFailure {
        let setting = name == "admin" ? "admin.listen" : "listen.\(name)"
        switch error {
        case .listen(let address, let system) where system.isInUse:
            let problem =
                "\(setting): \(address) is in use, perhaps by an earlier start of this process: "
                + "end what has it, or choose another address"
            // It may be about to end.
            return StartFailure(.temporaryFailure, problem)
        case .listen(let address, let system) where system.isDenied && 1..<1024 ~= address.port:
            let problem =
                "\(setting): \(error); a port below 1024 needs a right that this process has not: "
                + "choose another one"
            return StartFailure(.configuration, problem)
        case .listen: return StartFailure(.failure, "\(setting): \(error)")
        case .tls, .system: return StartFailure(.failure, "\(name) listener: \(error)")
        }
    }

    /// The process's file, read again at SIGHUP (Architecture 10).
    ///
    /// `take` uses what of it may change while the process runs. It is called, on a thread of
    /// `blocking`, when the whole file is right; otherwise nothing changes. What came of it, by
    /// name, is in the log: `started` are the settings in use until then.
    package static func settings<Settings: ProcessSettings>(
        _ started: Settings,
        rereading reread: @escaping @Sendable () throws(ReloadFailure) -> Settings,
        on blocking: BlockingExecutor,
        log: Log,
        take: @escaping @Sendable (Settings) throws(ReloadFailure) -> Void
    ) -> Component {
        let last = Guarded(started)
        return Component(
            "settings",
            reload: { () async throws(ReloadFailure) in
                try await read(on: blocking) { () throws(ReloadFailure) in
                    let new = try reread()
                    try take(new)
                    tell(SettingsChange(new, last: last.current, started: started), log)
                    let former = last.current.admin.operators
                    for change in ChangedOperator.all(from: former, to: new.admin.operators) {
                        tell(change, log)
                    }
                    last.replace(with: new)
                }
            }
        )
    }

    private static func tell(_ change: SettingsChange, _ log: Log) {
        func names(_ paths: [String]) -> Log.Field {
            .field("settings", paths.joined(separator: ", "))
        }
        if change.used.isEmpty {
            log.notice("no setting has changed that may change while the process runs")
        } else {
            log.notice("changed settings are in use", names(change.used))
        }
        if !change.waiting.isEmpty {
            log.warning("changed settings wait for a restart", names(change.waiting))
        }
    }

    /// By name and role: a list is one setting, and who is in it matters more than that it changed.
    private static func tell(_ change: ChangedOperator, _ log: Log) {
        let log = log.with(
            .field("operator", change.name),
            .field("role", change.role.rawValue)
        )
        switch change.kind {
        case .added: log.notice("an operator was added")
        case .removed: log.notice("an operator was taken out")
        case .role(let former):
            log.notice("an operator has another role", .field("was", former.rawValue))
        case .proof: log.notice("an operator has another token or certificate")
        }
    }

    /// Files are read where nobody waits for the loop.
    private static func read(
        on blocking: BlockingExecutor,
        _ body: @escaping @Sendable () throws(ReloadFailure) -> Void
    ) async throws(ReloadFailure) {
        let outcome: Result<Void, ReloadFailure>
        do throws(BlockingExecutor.Overloaded) {
            outcome = try await blocking.run { Result(catching: body) }
        } catch { throw ReloadFailure("too many files are being read") }
        try outcome.get()
    }
}
