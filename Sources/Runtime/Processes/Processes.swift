internal import CLinux
import Glibc

/// Starts and finds other programs: what `chancery dev` and the tests run beside us.
package enum Processes {
    /// Starts a child with nothing open but its three standard descriptors.
    ///
    /// As another user it ends with its parent just the same: it asks for that when it is one.
    ///
    /// - Throws: `pipe`, `fork`, `open` for the output file, or `execve` when the program cannot
    ///   be run: missing, not executable, or the user or directory refused.
    package static func start(_ command: ChildCommand) throws(SystemError) -> ChildProcess {
        var output: Int32 = -1
        if let file = command.outputFile {
            output = unsafe clinux_open_append(file, 0o600)
            guard output >= 0 else { throw .last("open") }
        }
        defer { if output >= 0 { close(output) } }
        return try start(command, input: -1, output: output, error: output)
    }

    /// The same with these as standard input, output and error; below 0 it has ours.
    static func start(_ command: ChildCommand, input: Int32, output: Int32, error: Int32)
        throws(SystemError) -> ChildProcess
    {
        let environment = command.environment ?? Environment.all()
        let variables = environment.map { "\($0.key)=\($0.value)" }.sorted()
        let child = unsafe withCStrings([command.path] + command.arguments) { arguments in
            unsafe withCStrings(variables) { variables in
                unsafe clinux_spawn(
                    command.path,
                    arguments,
                    variables,
                    command.directory,
                    command.user?.user ?? .max,
                    command.user?.group ?? .max,
                    input,
                    output,
                    error,
                    command.endsWithParent ? 1 : 0,
                    command.leadsGroup ? 1 : 0
                )
            }
        }
        guard child > 0 else { throw SystemError(call: "execve", number: -child) }
        let descriptor = clinux_pidfd_open(child)
        guard descriptor >= 0 else {
            let error = SystemError.last("pidfd_open")
            // Nobody could wait for it.
            kill(child, SIGKILL)
            waitpid(child, nil, 0)
            throw error
        }
        return ChildProcess(number: child, descriptor: descriptor)
    }

    /// The file of program `name` in the directories of `PATH`, or in `others` after them.
    package static func find(_ name: String, others: [String] = []) -> String? {
        let path = Environment.value("PATH") ?? "/usr/local/bin:/usr/bin:/bin"
        let directories = path.utf8.split(separator: UInt8(ascii: ":")).map { String($0) ?? "" }
        return (directories + others).map { "\($0)/\(name)" }.first {
            unsafe access($0, X_OK) == 0
        }
    }

    /// The numbers of the user called `name`; nil when there is none.
    ///
    /// Reads the user database.
    package static func user(named name: String) -> ChildCommand.User? {
        guard let entry = unsafe getpwnam(name) else { return nil }
        return unsafe ChildCommand.User(user: entry.pointee.pw_uid, group: entry.pointee.pw_gid)
    }

    /// Gives a file or directory to a user.
    package static func give(_ path: String, to user: ChildCommand.User) throws(SystemError) {
        guard unsafe chown(path, user.user, user.group) == 0 else { throw .last("chown") }
    }

    private static func withCStrings<Result>(
        _ strings: [String],
        _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
    ) -> Result {
        var pointers = unsafe strings.map { unsafe strdup($0) }
        unsafe pointers.append(nil)
        defer { unsafe pointers.forEach { unsafe free($0) } }
        return unsafe body(pointers)
    }
}
