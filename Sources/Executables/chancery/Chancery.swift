import Configuration
import Runtime

/// The operator's program: `chancery COMMAND …`.
@main enum Chancery {
    /// Every command, in the order the help lists them.
    ///
    /// A new one is a file and a line here.
    static let commands: [any Command.Type] = [
        Dev.self, Migrate.self, Config.self, Keys.self, RootSecret.self, Grants.self,
        BiometricKeys.self, Consents.self, Subjects.self, Replay.self, Verify.self, Doctor.self,
    ]

    static func main() {
        Lifecycle.forbidDumps()
        Terminal.outliveClosedPipes()
        var words = CommandLine.arguments.dropFirst()[...]
        let first = words.popFirst() ?? "--help"
        switch first {
        case "--help", "-h", "help":
            explain(words.first)
        case "--version": Terminal.say("chancery \(ProcessInvocation.versionText)")
        default: run(first, Array(words))
        }
        end(0)
    }

    /// Output that is lost is no success: a script must not go on without it.
    private static func end(_ status: Int32, failed: Int32 = 1) -> Never {
        guard let loss = Terminal.loss else { ThisProcess.exit(status) }
        Terminal.complain("chancery: standard output could not be written: \(loss)")
        ThisProcess.exit(max(status, failed))
    }

    private static func explain(_ name: String?) {
        guard let name else { return say(Help.overview(commands)) }
        guard let named = commands.first(where: { $0.name == name }) else { unknown(name) }
        say(named.help)
    }

    private static func unknown(_ name: String) -> Never {
        Terminal.complain("chancery: there is no command \(name)\n")
        Terminal.complain(Help.overview(commands))
        ThisProcess.exit(64)
    }

    private static func run(_ name: String, _ words: [String]) {
        guard let type = commands.first(where: { $0.name == name }) else { unknown(name) }
        guard !words.contains("--help"), !words.contains("-h") else { return say(type.help) }
        do throws(UsageError) {
            var arguments = Arguments(words)
            let command = try type.init(&arguments)
            try arguments.finish()
            end(command.run(), failed: command.failed)
        } catch {
            let remedy = "Try 'chancery \(name) --help'."
            Terminal.complain("chancery \(name): \(error.sentence)")
            Terminal.complain(remedy)
            // Perhaps the arguments were not read as far as that.
            if words.prefix(while: { $0 != "--" }).contains("--json") {
                Output.say(CommandFailure(error.sentence, remedy: remedy, status: 64))
            }
            ThisProcess.exit(64)
        }
    }

    private static func say(_ text: String) { Terminal.say(text) }
}
