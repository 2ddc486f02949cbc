import Runtime

/// Runs asynchronous work on a loop of its own, on the calling thread.
enum CommandLoop {
    /// - Returns: the exit status, of what failed the command's `failed` in place of 1; that is
    ///   told.
    static func run(
        _ command: some Command,
        _ body: @escaping @Sendable (Loop) async throws(CommandFailure) -> Int32
    ) -> Int32 {
        let (failed, asJSON) = (command.failed, command.asJSON)
        let status = Guarded<Int32>(failed)
        do throws(SystemError) {
            let loop = try Loop(name: "chancery")
            loop.post {
                loop.spawn {
                    do throws(CommandFailure) {
                        status.replace(with: try await body(loop))
                    } catch {
                        status.replace(with: tell(error, failed: failed, asJSON: asJSON))
                    }
                    loop.stop()
                }
            }
            loop.run()
        } catch {
            return tell(CommandFailure("\(error)"), failed: failed, asJSON: asJSON)
        }
        return status.current
    }

    /// Tells a failure and its remedy on standard error and, `asJSON`, the same on standard output.
    ///
    /// - Returns: its exit status, `failed` in place of 1.
    @discardableResult
    static func tell(_ failure: CommandFailure, failed: Int32 = 1, asJSON: Bool = false) -> Int32 {
        var failure = failure
        if failure.status == 1 { failure.status = failed }
        Terminal.complain("chancery: \(failure.sentence)")
        if let remedy = failure.remedy { Terminal.complain("  \(remedy)") }
        if asJSON { Output.say(failure) }
        return failure.status
    }
}
