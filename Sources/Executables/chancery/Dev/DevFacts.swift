import Runtime

/// What a developer needs to know about the stack: a table, and the same in `dev.env`.
struct DevFacts: Sendable {
    let stack: DevStack
    let project: DevProject

    func environment() throws(CommandFailure) -> DevEnvironment {
        let ports = stack.ports
        var values = [
            ("ISSUER", project.issuer),
            ("DATABASE_URL", stack.postgres.url),
            ("KAFKA_BOOTSTRAP", stack.kafka.bootstrap),
            ("MAILDIR", stack.folder.maildir),
            ("MAIL_PAGE", "http://localhost:\(ports.mailPage)"),
            ("ADMIN_URL", "http://127.0.0.1:\(ports.issuerAdmin)"),
            ("ADMIN_TOKEN", try stack.secrets.text("admin-token")),
            ("OFFERS_URL", project.offers),
            ("DEMO_APP_URL", "http://127.0.0.1:\(ports.offers)"),
            ("REVOCATIONS_URL", "\(project.projector)/revocations"),
        ]
        // Empty where it is somebody else's: a shell may still have the one of an earlier run.
        values.append((DevKafka.ownVariable, stack.kafka.isOwn ? stack.kafka.bootstrap : ""))
        if stack.issuers > 1 {
            values.append(("ISSUER2", "http://localhost:\(ports.issuer2)"))
        }
        for client in DevProject.clients {
            values.append((client.variable, try project.credentials(client)))
        }
        return DevEnvironment(values.map { (name: $0.0, value: $0.1) })
    }

    func sayTable(isStaying: Bool) {
        let ports = stack.ports
        var rows = [["issuer", project.issuer]]
        if stack.issuers > 1 {
            rows.append(["second issuer", "http://localhost:\(ports.issuer2)"])
        }
        rows += DevProject.clients.map { ["client \($0.id)", $0.purpose] }
        rows += [
            ["demo app", "http://127.0.0.1:\(ports.offers)  (opens \(project.offers) logged in)"],
            ["mail page", "http://localhost:\(ports.mailPage)"],
            ["database", "psql '\(stack.postgres.url)'"],
            ["Kafka", "\(stack.kafka.bootstrap)  (\(stack.kafka.description))"],
            ["admin API", "http://127.0.0.1:\(ports.issuerAdmin)"],
            ["all of it", stack.folder.environmentFile],
            ["feed", "\(project.projector)/revocations"],
        ]
        Terminal.say("")
        for line in Table.lines([], rows) { Terminal.say("  \(line)") }
        Terminal.say("")
        if isStaying { Terminal.say("Ready. Ctrl-C stops everything; links in mails appear here.") }
    }
}
