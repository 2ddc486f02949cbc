/// The settings files of the processes of one stack.
struct DevSettings: Sendable {
    let folder: DevFolder
    let ports: DevPorts
    let secrets: DevSecrets
    let socketDirectory: String
    let kafka: String

    /// Writes a process's file and answers its path.
    func write(_ process: DevProcess) throws(CommandFailure) -> String {
        let path = "\(folder.settings)/\(process.name).yaml"
        try Files.write(try text(process), to: path)
        return path
    }

    /// Writes the file that commands such as `chancery doctor` read.
    func writeOperator() throws(CommandFailure) {
        let text = """
            # Written by chancery dev at each start; a change here does not last.
            database:
              host: \(Self.quoted(socketDirectory))
              name: \(DevPostgres.database)
              user: \(DevPostgres.superuser)
              durability: single-node
            kafka: {bootstrap: "\(kafka)", topology: single-node}

            """
        try Files.write(text, to: "\(folder.settings)/operator.yaml")
    }

    /// A path as a double-quoted scalar.
    private static func quoted(_ path: String) -> String {
        let escaped = path.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
        return "\"\(escaped)\""
    }

    /// Whom the admin API knows: a token-issuer's, as nothing else has one.
    private func operators(_ process: DevProcess) throws(CommandFailure) -> String {
        guard process.program == "token-issuer" else { return "" }
        let digest = try secrets.digest("admin-token")
        return "\n  operators:\n    - {name: dev, role: configure, token_sha256: \(digest)}"
    }

    private func text(_ process: DevProcess) throws(CommandFailure) -> String {
        var sections = [
            "# Written by chancery dev at each start; a change here does not last.",
            "node: {name: \(process.name), shutdown_notice_seconds: 0}",
            "listen:\n  public: [\(process.listeners.map { "\"\($0)\"" }.joined(separator: ", "))]",
            "admin:\n  listen: \"127.0.0.1:\(process.adminPort)\"\(try operators(process))",
            """
            database:
              host: \(Self.quoted(socketDirectory))
              name: \(DevPostgres.database)
              user: \(process.role)
              durability: single-node
            """,
            "kafka: {bootstrap: \"\(kafka)\", topology: single-node}",
            "log: {level: info}",
        ]
        if process.program == "token-issuer" {
            sections += [
                """
                keys:
                  directory: \(Self.quoted(secrets.signingKeys))
                  kek_file: \(Self.quoted(secrets.encryptionKeyPath))
                """,
                """
                mail:
                  relay: "127.0.0.1:\(ports.smtp)"
                  sender: no-reply@localhost
                  plain: true
                """,
            ]
        }
        return sections.joined(separator: "\n") + "\n"
    }
}
