/// What to run as a child process, and as whom.
package struct ChildCommand: Sendable {
    /// A user to become; needs the right to.
    package struct User: Hashable, Sendable {
        /// The user's number.
        package let user: UInt32
        /// The number of the user's group.
        package let group: UInt32

        /// Names both numbers.
        package init(user: UInt32, group: UInt32) {
            self.user = user
            self.group = group
        }
    }

    /// The program's file; `Processes.find` looks one up.
    package var path: String
    /// The arguments after the program's name.
    package var arguments: [String]
    /// The whole environment; nil passes ours on.
    package var environment: [String: String]?
    /// Where to run; nil is where we are.
    package var directory: String?
    /// As whom; nil is as we are.
    package var user: User?
    /// A file that standard output and error are appended to; nil lets the child use ours.
    package var outputFile: String?
    /// Whether the system ends the child when the thread that started it ends.
    package var endsWithParent = false
    /// Whether it and what it starts are a process group, to be signalled as one.
    package var leadsGroup = false

    /// Runs `path` with `arguments`; the rest is set afterwards.
    package init(_ path: String, _ arguments: [String] = []) {
        self.path = path
        self.arguments = arguments
    }
}
