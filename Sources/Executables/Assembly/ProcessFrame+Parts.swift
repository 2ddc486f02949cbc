internal import Configuration
package import HTTPServer
package import Runtime
package import WebAPI

// What every wiring has, each with its own in it.
extension ProcessFrame {
    /// Publishes the numbers of every process: call once while wiring.
    package func publishMetrics() {
        RuntimeMetrics.publish(loops, writer, to: metrics, log: log)
        RuntimeMetrics.publish(program, ProcessInvocation.version, to: metrics)
        CertificateMetrics.publish(settings.kafka, to: metrics)
    }

    /// Keeps the process from topics that could lose what they are told.
    package func topics(_ topics: [TopicGate.Topic]) -> TopicGate {
        TopicGate(
            settings.kafka,
            topics,
            clientID: settings.node.name,
            isInsecureDev: isInsecureDev,
            on: blocking,
            log: log
        )
    }

    /// Alive when every loop turns; ready when `checks` find nothing, which is a number, too.
    package func health(_ checks: [Health.Check]) -> Health {
        let health = Health(isAlive: isAlive, checks: checks, metrics: metrics)
        health.publish(as: program)
        return health
    }

    /// The listener of operators, probes and metrics; nil where the settings have none.
    package func adminServer(_ handler: any RequestHandler) -> HTTPServer? {
        guard let address = settings.admin.address else { return nil }
        return HTTPServer(
            ServerSettings(
                name: "admin",
                addresses: [address],
                tls: TLSSettings(settings.admin)
            ),
            handler: handler,
            loops: [loop],
            log: log,
            metrics: metrics
        )
    }

    /// Its file, read again at SIGHUP; `take` uses what beside the level of the log may change.
    package func settingsComponent(
        take: @escaping @Sendable (Settings) throws(Component.ReloadFailure) -> Void = { _ in }
    ) -> Component {
        .settings(
            settings,
            rereading: { [invocation] () throws(Component.ReloadFailure) in
                try invocation.settings(Settings.init)
            },
            on: blocking,
            log: log,
            take: { [writer] (new: Settings) throws(Component.ReloadFailure) in
                try take(new)
                writer.setLevel(new.log.level)
            }
        )
    }
}
