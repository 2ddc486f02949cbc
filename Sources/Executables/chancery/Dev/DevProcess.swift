/// One of our processes in a stack.
struct DevProcess: Sendable {
    var name: String
    var program: String
    /// The database role it connects as.
    var role: String
    /// Where it listens for clients; none when it serves nobody.
    var listeners: [String]
    var adminPort: Int

    static func all(_ ports: DevPorts, issuers: Int) -> [Self] {
        let issuer = Self(
            name: "token-issuer",
            program: "token-issuer",
            role: "token_issuer",
            listeners: Ports.places(ports.issuer),
            adminPort: ports.issuerAdmin
        )
        var second = issuer
        second.name = "token-issuer-2"
        second.listeners = Ports.places(ports.issuer2)
        second.adminPort = ports.issuer2Admin
        return (issuers > 1 ? [issuer, second] : [issuer])
            + [relay(ports), projector(ports)]
    }

    private static func relay(_ ports: DevPorts) -> Self {
        Self(
            name: "event-relay",
            program: "event-relay",
            role: "event_relay",
            listeners: [],
            adminPort: ports.relayAdmin
        )
    }

    private static func projector(_ ports: DevPorts) -> Self {
        Self(
            name: "revocation-projector",
            program: "revocation-projector",
            role: "projector",
            listeners: Ports.places(ports.projector),
            adminPort: ports.projectorAdmin
        )
    }
}
