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
