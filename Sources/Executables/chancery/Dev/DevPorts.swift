import Runtime

/// Every port of one stack, counted from the one that `--port` names; all on loopback.
struct DevPorts: Sendable {
    /// The port used when none is named.
    static let usual = 8080
    /// How many ports a stack may use, the first included.
    static let count = Int(PortBlock.count)

    let first: Int
    /// What keeps other stacks away from ports that nobody named.
    private let block: PortBlock?

    /// Ports from this one on; from 0, of a block that is free.
    init(first: Int) throws(CommandFailure) {
        guard first == 0 else {
            self.first = first
            block = nil
            return
        }
        do throws(SystemError) {
            let block = try PortBlock.anyFree()
            self.first = Int(block.first)
            self.block = block
        } catch { throw CommandFailure("no \(Self.count) ports in a row are free: \(error)") }
    }

    var issuer: Int { first }
    var issuer2: Int { first + 1 }
    var projector: Int { first + 2 }
    var mailPage: Int { first + 3 }
    var smtp: Int { first + 4 }
    var kafka: Int { first + 5 }
    var kafkaController: Int { first + 6 }
    var offers: Int { first + 7 }
    var issuerAdmin: Int { first + 10 }
    var issuer2Admin: Int { first + 11 }
    var relayAdmin: Int { first + 12 }
    var projectorAdmin: Int { first + 13 }

    /// Whether they were found, not named: then another stack's are as good.
    var areFound: Bool { block != nil }

    /// All of them, with what they are for.
    var all: [(port: Int, use: String)] {
        [
            (issuer, "token-issuer"), (issuer2, "the second token-issuer"),
            (projector, "revocation-projector"), (mailPage, "the mail page"), (smtp, "mail"),
            (kafka, "Kafka"), (kafkaController, "Kafka's controller"),
            (offers, "the demo's web client"),
            (issuerAdmin, "token-issuer's admin listener"),
            (issuer2Admin, "the second token-issuer's admin listener"),
            (relayAdmin, "event-relay's admin listener"),
            (projectorAdmin, "revocation-projector's admin listener"),
        ]
    }
}
