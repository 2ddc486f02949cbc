package import Runtime

/// How one of our processes was called; all take the same flags (Architecture 10).
package struct ProcessInvocation: Sendable {
    /// The version of all our programs.
    package static let version = "0.1.0"

    /// What `--version` prints after the program's name: versions are few, builds are many.
    package static let versionText =
        BuildID.short.map { "\(version) (build \($0))" } ?? version

    package private(set) var configPath: String?
    /// Look at what a start looks at, and end.
    package private(set) var isCheck = false
    /// Allows plain HTTP issuers on loopback names, and says so in every answer.
    package private(set) var isInsecureDev = false
    private var wantsHelp = false
    private var wantsVersion = false
    private var mistake: String?

    /// Reads the arguments after the program's name.
    package init(_ arguments: some Sequence<String>) {
        var rest = arguments.makeIterator()
        while let argument = rest.next() {
            switch argument {
            case "--config":
                configPath = rest.next()
                if configPath == nil { mistake = "--config needs a file" }
            case "--check": isCheck = true
            case "--insecure-dev": isInsecureDev = true
            case "--help", "-h": wantsHelp = true
            case "--version": wantsVersion = true
            default: mistake = "unknown argument \(argument)"
            }
        }
        if mistake == nil, configPath == nil, !wantsHelp, !wantsVersion {
            mistake = "--config FILE is required"
        }
    }

    /// What to print and end with before anything starts; nil: go on.
    package func early(_ program: String, _ purpose: String) -> (text: String, code: ExitCode)? {
        if wantsHelp { return (Self.usage(program, purpose), .success) }
        if wantsVersion { return ("\(program) \(Self.versionText)\n", .success) }
        guard let mistake else { return nil }
        return ("\(program): \(mistake)\n\n\(Self.usage(program, purpose))", .configuration)
    }

    /// Why the process must not start on this machine and with its files, of which `files` are the
    /// lines; nil: go on.
    ///
    /// Development starts on any machine (Security 10).
    package func refusal(
        _ program: String,
        on machine: MachineFacts = .current,
        files: [String] = []
    ) -> String? {
        let lines = (isInsecureDev ? [] : machine.refusals) + files
        return lines.isEmpty ? nil : lines.map { "\(program): \($0)\n" }.joined()
    }

    private static func usage(_ program: String, _ purpose: String) -> String {
        """
        usage: \(program) --config FILE [--check] [--insecure-dev]

        \(purpose)

          --config FILE    YAML; CHANCERY__SECTION__KEY=value in the environment overrides it
          --check          say what a start would refuse, start nothing: 0 right, 78 wrong,
                           75 what it asked does not answer: ask again, 1 it was ended before
          --insecure-dev   allow http:// issuers on loopback, *.localhost and *.test, and brokers
                           without TLS
          --help           this text
          --version        the version, and which build of it this is

        """
    }

    /// The settings document at `--config`.
    ///
    /// - Throws: the lines to print, each naming file, line, path and what would be right.
    package func document() throws(Unreadable) -> SettingsDocument {
        let path = configPath ?? ""
        let bytes: [UInt8]
        do { bytes = try FileReading.bytes(at: path, bytesMax: 1 << 20) } catch {
            throw Unreadable(text: "\(path): cannot be read: \(error)\n")
        }
        do {
            return try SettingsDocument(
                bytes,
                environment: Environment.all(),
                isInsecureDev: isInsecureDev
            )
        } catch { throw Unreadable(error, in: path) }
    }

    /// What `read` makes of the document.
    ///
    /// - Throws: as `document`.
    package func readSettings<Settings>(
        _ read: (SettingsDocument) throws(ConfigurationError) -> Settings
    ) throws(Unreadable) -> Settings {
        let document = try document()
        do throws(ConfigurationError) { return try read(document) } catch {
            throw Unreadable(error, in: configPath)
        }
    }

    /// The same, for a process that reads it again while it runs.
    ///
    /// - Throws: the findings, in one line.
    package func settings<Settings>(
        _ read: (SettingsDocument) throws(ConfigurationError) -> Settings
    ) throws(Component.ReloadFailure) -> Settings {
        do throws(Unreadable) { return try readSettings(read) } catch {
            let lines = error.text.split(separator: "\n")
            throw Component.ReloadFailure(lines.joined(separator: "; "))
        }
    }

    /// A configuration that cannot be used, as text for standard error.
    package struct Unreadable: Error {
        package let text: String

        init(text: String) { self.text = text }

        /// One line per finding.
        init(_ error: ConfigurationError, in path: String?) {
            text = error.findings.map { $0.line(in: path ?? "") + "\n" }.joined()
        }
    }
}
