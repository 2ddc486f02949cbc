/// What `chancery --help` prints.
enum Help {
    static func overview(_ commands: [any Command.Type]) -> String {
        let width = commands.map { $0.name.count }.max() ?? 0
        let list = commands.map { command in
            let gap = String(repeating: " ", count: width - command.name.count + 3)
            return "  \(command.name)\(gap)\(command.summary)"
        }
        return """
            chancery: runs and looks after an authorization server

            usage: chancery COMMAND [OPTIONS]

            \(list.joined(separator: "\n"))

            chancery COMMAND --help explains a command; chancery --version names this build.
            Exit status: 0 done, 1 failed, 64 wrong usage, 75 try again later, 78 wrong settings.
            Of config diff, migrate --dry-run, verify and doctor 1 is an answer, and 2 failed.
            With --json the last line of a failure on standard output is {"error":{"message",
            "remedy","exit_status","http_status","reason"}}, of which not every one has all.
            """
    }
}
