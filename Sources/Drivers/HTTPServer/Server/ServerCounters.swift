internal import Runtime

/// What the loops of one server count together: connections, shed requests.
final class ServerCounters: Sendable {
    private struct Open {
        var total = 0
        /// Without zeros: at most two entries for each connection.
        var byAddress: [[UInt8]: Int] = [:]
    }

    let running: Gauge
    let held: Gauge
    let shedRunning: Counter
    let shedHeld: Counter
    let shedBodies: Counter
    private let shedConnections: Counter
    private let shedAddress: Counter
    private let shedPlain: Counter
    private let limits: ServerLimits
    private let proxies: [AddressRange]
    private let log: Log
    private let open = Guarded(Open())
    private let isFirstPlain = Guarded(true)

    init(_ settings: ServerSettings, _ log: Log, _ metrics: Metrics) {
        let name = settings.name
        limits = settings.limits
        proxies = settings.trustedProxies
        self.log = log
        running = metrics.gauge(
            "chancery_http_running",
            "Handlers that run now.",
            ["listener": name]
        )
        held = metrics.gauge(
            "chancery_http_held",
            "Handlers that are held now until something happens.",
            ["listener": name]
        )
        func shed(_ reason: String) -> Counter {
            metrics.counter(
                "chancery_http_shed_total",
                "Requests and connections refused, or closed for others, at a bound.",
                ["listener": name, "reason": reason]
            )
        }
        shedRunning = shed("running")
        shedHeld = shed("held")
        shedBodies = shed("bodies")
        shedConnections = shed("connections")
        shedAddress = shed("address")
        shedPlain = shed("plain")
        metrics.observe(
            "chancery_http_connections",
            "Connections that are open now.",
            ["listener": name]
        ) { [open] in Double(open.current.total) }
    }

    var connectionCount: Int { open.current.total }

    /// Counts one more connection from `remote`.
    ///
    /// False when that would be too many, or when it is not encrypted and comes neither from this
    /// machine nor from a proxy (Security 7.2). At the bound of all connections it asks
    /// `makingRoom` to close another one, which answers whether it has.
    func admit(
        _ remote: SocketAddress,
        isEncrypted: Bool,
        makingRoom: () -> Bool = { false }
    ) -> Bool {
        guard isEncrypted || mayBePlain(remote) else {
            shedPlain.add()
            if isFirstPlain.replace(with: false) {
                log.warning(
                    "plain HTTP from elsewhere than listen.trusted_proxies is refused",
                    .field("network", remote.unmapped.network)
                )
            }
            return false
        }
        let bounds = bounds(of: remote)
        var refusal = count(bounds)
        if refusal === shedConnections, makingRoom() {
            shedConnections.add()
            // Another loop may have been faster.
            refusal = count(bounds)
        }
        refusal?.add()
        return refusal == nil
    }

    func release(_ remote: SocketAddress) {
        let bounds = bounds(of: remote)
        open.withLock { open in
            open.total -= 1
            for (key, _) in bounds {
                guard let count = open.byAddress[key] else { continue }
                open.byAddress[key] = count > 1 ? count - 1 : nil
            }
        }
    }

    func unsendable() {
        log.error("an answer had a field with a control byte, 500 sent instead")
    }

    private func mayBePlain(_ remote: SocketAddress) -> Bool {
        remote.isLoopback || proxies.contains { $0.contains(remote) }
    }

    /// Nil when it is counted; else what counts the refusal.
    private func count(_ bounds: [(key: [UInt8], most: Int)]) -> Counter? {
        open.withLock { open in
            let isCrowded = open.total >= limits.connectionsMax / 2
            // First: nobody shall make room for one who may not come in anyway.
            for (key, most) in bounds where open.byAddress[key, default: 0] >= most {
                // Many who have nothing to do with one another may be in one network.
                if isCrowded || key.count != Self.networkBytes { return shedAddress }
            }
            guard open.total < limits.connectionsMax else { return shedConnections }
            for (key, _) in bounds { open.byAddress[key, default: 0] += 1 }
            open.total += 1
            return nil
        }
    }

    /// What `remote` is counted by, and up to how many: the IPv4 address, or the first 64 and 48
    /// bits of the IPv6 one, which differ in length; nothing for those without a bound.
    private func bounds(of remote: SocketAddress) -> [(key: [UInt8], most: Int)] {
        guard remote.family != .local, !proxies.contains(where: { $0.contains(remote) }) else {
            return []
        }
        let most = limits.connectionsPerAddressMax
        guard remote.family == .ipv6 else { return [(remote.bytes, most)] }
        return [
            (Array(remote.bytes.prefix(8)), most),
            (Array(remote.bytes.prefix(Self.networkBytes)), limits.connectionsPerNetworkMax),
        ]
    }

    /// A /48.
    private static let networkBytes = 6
}
