import Runtime

/// One verb of the command line.
protocol Command: SendableMetatype {
    /// The word that calls it.
    static var name: String { get }
    /// What it does, in a few words for the list of commands.
    static var summary: String { get }
    /// What `--help` prints: usage, every option, an example.
    static var help: String { get }
    /// The exit status of what failed: 1, or 2 where 1 is an answer.
    var failed: Int32 { get }
    /// Whether a program reads standard output: JSON, also of a failure.
    var asJSON: Bool { get }

    /// Takes what it understands; what is left is refused.
    init(_ arguments: inout Arguments) throws(UsageError)
    /// Does it, blocking, and answers the exit status.
    func run() -> Int32
}

extension Command {
    var failed: Int32 { 1 }
}

/// A mistake on the command line, said so that the next try succeeds.
struct UsageError: Error {
    var sentence: String

    /// Refuses an option that was given to a verb that would not look at it.
    static func unless(
        _ isRightVerb: Bool,
        refuse isGiven: Bool,
        _ option: String,
        goesWith verb: String
    ) throws(UsageError) {
        guard isGiven, !isRightVerb else { return }
        throw UsageError(sentence: "\(option) goes with \(verb)")
    }
}

/// Why a command could not do its work: one line, and what to do about it.
struct CommandFailure: Error {
    var sentence: String
    var remedy: String?
    var status: Int32 = 1
    /// Of a refused request; nil for other failures.
    var httpStatus: Int?
    /// The admin API's name for such a refusal (WireContract 3).
    var reason: String?

    /// What to do where nobody knows whether the server did what it was asked to.
    static let lookFirst = "It may have happened: look, then repeat what is missing."

    init(_ sentence: String, remedy: String? = nil, status: Int32 = 1) {
        self.sentence = sentence
        self.remedy = remedy
        self.status = status
    }
}

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
