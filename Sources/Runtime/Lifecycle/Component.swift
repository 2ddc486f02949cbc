/// A part of a process that starts after what it needs and stops before it.
package struct Component: Sendable {
    /// Why a component did not start.
    package struct StartFailure: Error, Sendable {
        /// What the process ends with.
        package let exitCode: ExitCode
        /// One line for the operator, without secrets.
        package let reason: String

        /// Names both.
        package init(_ exitCode: ExitCode, _ reason: String) {
            self.exitCode = exitCode
            self.reason = reason
        }
    }

    /// Why a component could not take what was to be read again; what it had stays in use.
    package struct ReloadFailure: Error, Sendable {
        /// One line for the operator, which names the file, without secrets.
        package let reason: String

        /// Names it.
        package init(_ reason: String) { self.reason = reason }
    }

    let name: String
    let start: @Sendable () async throws(StartFailure) -> Void
    let reload: @Sendable () async throws(ReloadFailure) -> Void
    let retire: @Sendable () -> Void
    let stop: @Sendable () async -> Void

    /// Describes a component; all four run on the lifecycle's loop, each of one component at a
    /// time.
    ///
    /// `reload` answers SIGHUP, also before `start` and beside the others; when it fails the other
    /// components are still asked. `retire` is told before the notice that the process is going to
    /// end: whoever asks for its readiness must hear so. `stop` follows the notice; it is called
    /// only after `start` succeeded and bounds itself.
    package init(
        _ name: String,
        start: @escaping @Sendable () async throws(StartFailure) -> Void = {},
        reload: @escaping @Sendable () async throws(ReloadFailure) -> Void = {},
        retire: @escaping @Sendable () -> Void = {},
        stop: @escaping @Sendable () async -> Void = {}
    ) {
        self.name = name
        self.start = start
        self.reload = reload
        self.retire = retire
        self.stop = stop
    }
}
