import Configuration
import OAuth
import Runtime

/// `chancery config`: the configuration of a project.
struct Config: Command {
    static let name = "config"
    static let summary = "a project's configuration, its history, and whether it is suspended"
    static let help = """
        usage: chancery config list
               chancery config validate FILE
               chancery config show
               chancery config diff FILE
               chancery config apply FILE --reason TEXT [--expect DIGEST]
               chancery config history [--before VERSION]
               chancery config suspend PROJECT --reason TEXT
               chancery config resume PROJECT --reason TEXT

        A project's configuration is one YAML document: clients, lifetimes, scopes, links. Applying
        it is an event; from its commit every node decides by it. Rolling back is applying an older
        document again.

          list       the projects of this installation, also those that the server does not serve
          validate   every finding with its line, and warnings; asks no server
          show       the document in force
          diff       the lines that applying FILE would change; exit status 0 when there are none,
                     1 when there are some, 2 when it failed
          apply      puts FILE in force, or creates the project, and says its warnings and which
                     document it replaced; refused when somebody else changes the configuration
                     meanwhile, or, with --expect, since it was looked at
          history    who applied what, when and why, with what each document's digest begins with;
                     and who suspended the project and let it go on
          suspend    from now on nothing of PROJECT is granted and nobody signs in; nothing ends
          resume     PROJECT goes on with all it had

          --reason TEXT     why, 1-200 bytes; recorded with your name
          --expect DIGEST   only when the document in force still has this digest (see diff), or
                            one that begins so, of 12 digits at least (see history)
          --before VERSION  history: those before this one; 200 are shown at a time
        \(AdminClient.help)
          --insecure-dev    validate: allow http for names that never leave the machine
          --json            for programs

        example: chancery config apply bank.yaml --reason "new web client"
        """

    private enum Verb: String, CaseIterable {
        case list, validate, show, diff, apply, history, suspend, resume
    }

    private enum Action {
        case validate(String), diff(String)
        case apply(String, reason: String, expect: String?)
        case list, show
        case history(before: Int?)
        case change(ProjectSuspension)
    }

    private let action: Action
    private let client: AdminClient
    let asJSON: Bool
    private let isInsecure: Bool

    init(_ arguments: inout Arguments) throws(UsageError) {
        asJSON = arguments.flag("--json")
        isInsecure = arguments.flag("--insecure-dev")
        client = try AdminClient(&arguments)
        let reason = try arguments.value("--reason")
        let expect = try arguments.value("--expect")
        let before = try arguments.number("--before", in: 1...Int(Int32.max))
        let verb: Verb = try arguments.verb(of: Self.name)
        try arguments.refuse("--reason", at: verb, unless: .apply, .suspend, .resume)
        try arguments.refuse("--expect", at: verb, unless: .apply)
        try arguments.refuse("--before", at: verb, unless: .history)
        try arguments.refuse("--insecure-dev", at: verb, unless: .validate)
        switch verb {
        case .list:
            guard client.namedProject == nil else {
                throw UsageError(sentence: "config list shows every project: leave --project out")
            }
            action = .list
        case .validate: action = .validate(try arguments.word("the file"))
        case .show: action = .show
        case .diff: action = .diff(try arguments.word("the file"))
        case .apply:
            let file = try arguments.word("the file")
            action = .apply(file, reason: try Arguments.reason(reason), expect: expect)
        case .history: action = .history(before: before)
        case .suspend:
            action = .change(try ProjectSuspension(.suspend, reason, client, &arguments))
        case .resume:
            action = .change(try ProjectSuspension(.resume, reason, client, &arguments))
        }
    }

    var failed: Int32 { if case .diff = action { 2 } else { 1 } }

    func run() -> Int32 {
        CommandLoop.run(self) { [self] loop throws(CommandFailure) in
            let project = ProjectAPI(client, on: loop)
            switch action {
            case .list: return try await list(on: loop)
            case .validate(let file): return try validate(file)
            case .show: return try await show(project)
            case .diff(let file): return try await diff(file, project)
            case .apply(let file, let reason, let expect):
                return try await apply(file, project, reason, expect)
            case .history(let end): return try await history(project, before: end)
            case .change(let change):
                let result = try await change.make(by: client, on: loop)
                if asJSON { Output.say(result) } else { Terminal.say("Done: \(change.done).") }
                return 0
            }
        }
    }

    private func list(on loop: Loop) async throws(CommandFailure) -> Int32 {
        let projects = try await client.projectList(on: loop)
        if asJSON {
            Output.say(.array(projects))
        } else {
            Table.say(
                ["PROJECT", "STATE", "ISSUER", "NAME"],
                projects.map { one in
                    let state =
                        one["served"] == false
                        ? "not served" : one["suspended"] == true ? "suspended" : "served"
                    let (issuer, name) = (one["issuer"]?.shown, one["name"]?.shown)
                    return [one["id"]?.shown ?? "", state, issuer ?? "", name ?? ""]
                }
            )
        }
        return 0
    }

    /// Reads the file by this program's rules: no server is asked.
    private func validate(_ path: String) throws(CommandFailure) -> Int32 {
        let bytes = try ProjectFile.read(path)
        let id = (try? SettingsDocument(bytes))?.root.optionalString("id")
        if let id { try ProjectFile.require(id, client.namedProject) }
        let document = ProjectDocument(isInsecureDevelopment: isInsecure)
        let warnings: [String]
        do throws(ConfigurationError) { warnings = try document.warnings(bytes) } catch {
            if asJSON {
                let findings = error.findings.map { JSON.string("\($0)") }
                Output.say(
                    .object([.init("valid", .bool(false)), .init("findings", .array(findings))])
                )
                return 78
            }
            let lines = error.findings.map { $0.line(in: path) }
            throw CommandFailure(lines.joined(separator: "\n"), status: 78)
        }
        if asJSON {
            let list = warnings.map { JSON.string($0) }
            Output.say(.object([.init("valid", .bool(true)), .init("warnings", .array(list))]))
        } else {
            for warning in warnings { Terminal.say("warning: \(warning)") }
            Terminal.say("\(path) is valid.")
        }
        return 0
    }

    private func show(_ project: ProjectAPI) async throws(CommandFailure) -> Int32 {
        guard let current = try await project.current(nil) else {
            throw CommandFailure("there is no such project")
        }
        if asJSON {
            let digest = current.digest.map { JSON.string($0) } ?? .null
            let document = JSON.string(current.text)
            Output.say(.object([.init("digest", digest), .init("document", document)]))
        } else {
            // Byte for byte, but for the end of its last line.
            Terminal.show(current.text)
        }
        return 0
    }

    private func diff(_ path: String, _ project: ProjectAPI) async throws(CommandFailure) -> Int32 {
        let file = try ProjectFile(path)
        let current = try await project.current(file.id)
        let changes = LineDiff(from: current?.text ?? "", to: file.text).changes
        if asJSON {
            let lines = changes.map { JSON.string($0) }
            let digest = current?.digest.map { JSON.string($0) } ?? .null
            Output.say(.object([.init("digest", digest), .init("changes", .array(lines))]))
        } else {
            for line in changes { Terminal.say(line) }
            if changes.isEmpty { Terminal.say("No difference.") }
            if let digest = current?.digest { Terminal.complain("In force: digest \(digest)") }
        }
        return changes.isEmpty ? 0 : 1
    }

    private func apply(
        _ path: String,
        _ project: ProjectAPI,
        _ reason: String,
        _ expected: String?
    ) async throws(CommandFailure) -> Int32 {
        let file = try ProjectFile(path)
        let current = try await project.current(file.id)
        if let expected, !Self.names(expected, current?.digest) {
            throw CommandFailure(
                "the configuration in force is not the expected one",
                remedy: "chancery config diff \(path) shows what it is now."
            )
        }
        let isSuspended = try await project.apply(file, over: current, reason: reason)
        sayApplied(file, over: current, isSuspended)
        return 0
    }

    /// Whether it is the digest, or so much of its beginning as `history` shows.
    private static func names(_ expected: String, _ digest: String?) -> Bool {
        guard let digest, expected.utf8.count >= shownDigits else { return false }
        return digest.hasPrefix(expected)
    }

    /// Of a digest, where people read it.
    private static let shownDigits = 12

    private func sayApplied(
        _ file: ProjectFile,
        over current: ProjectAPI.Current?,
        _ isSuspended: Bool
    ) {
        let warnings = ProjectDocument(isInsecureDevelopment: true).cautions(in: file.bytes)
        // The same document again replaces nothing.
        let isSame = current.map { $0.text.utf8.elementsEqual(file.bytes) } ?? false
        let replaced = isSame ? nil : current?.digest
        if asJSON {
            let list = warnings.map { JSON.string($0) }
            Output.say(
                .object([
                    .init("applied", .bool(true)), .init("created", .bool(current == nil)),
                    .init("replaced", replaced.map { JSON.string($0) } ?? .null),
                    .init("suspended", .bool(isSuspended)),
                    .init("warnings", .array(list)),
                ])
            )
        } else {
            for warning in warnings { Terminal.say("warning: \(warning)") }
            Terminal.say(current == nil ? "Project \(file.id) created." : "Applied to \(file.id).")
            if let replaced {
                Terminal.say("It replaced digest \(replaced.prefix(Self.shownDigits)).")
            }
            if isSuspended {
                let command = "chancery config resume \(file.id) --reason …"
                Terminal.say("It is suspended still: \(command) lets it go on.")
            }
        }
    }

    private func history(_ project: ProjectAPI, before end: Int?)
        async throws(CommandFailure) -> Int32
    {
        let versions = try await project.history(before: end)
        if asJSON {
            Output.say(.array(versions))
        } else {
            for version in versions {
                let number = version["version"]?.integer ?? 0
                let at = version["at"]?.shown ?? ""
                let name = version["operator"]?.string ?? ""
                let digest = version["digest"]?.string?.prefix(Self.shownDigits)
                let what = digest.map { String($0) } ?? version["change"]?.string ?? ""
                let reason = version["reason"]?.string ?? ""
                Terminal.say("\(number)  \(at)  \(what)  \(name): \(reason)")
            }
        }
        if let last = versions.last?["version"]?.integer, last > 1 {
            Terminal.complain("Older ones are not shown. For them: --before \(last)")
        }
        return 0
    }
}
