/// Every port of one stack, counted from the one that `--port` names; all on loopback.
struct DevPorts: Sendable {
    /// The port used when none is named.
    static let usual = 8080
    /// How many ports a stack may use, the first included.
    static let count = 40

    let first: Int

    var issuer: Int { first }
    var issuer2: Int { first + 1 }
    var projector: Int { first + 2 }
    var mailPage: Int { first + 3 }
    var smtp: Int { first + 4 }
    var kafka: Int { first + 5 }
    var kafkaController: Int { first + 6 }
    var issuerAdmin: Int { first + 10 }
    var issuer2Admin: Int { first + 11 }
    var relayAdmin: Int { first + 12 }
    var projectorAdmin: Int { first + 13 }

    /// All of them, with what they are for.
    var all: [(port: Int, use: String)] {
        [
            (issuer, "token-issuer"), (issuer2, "the second token-issuer"),
            (projector, "revocation-projector"), (mailPage, "the mail page"), (smtp, "mail"),
            (kafka, "Kafka"), (kafkaController, "Kafka's controller"),
            (issuerAdmin, "token-issuer's admin listener"),
            (issuer2Admin, "the second token-issuer's admin listener"),
            (relayAdmin, "event-relay's admin listener"),
            (projectorAdmin, "revocation-projector's admin listener"),
        ]
    }
}
