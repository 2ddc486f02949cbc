internal import Runtime

/// What the loops of one server count together: connections, shed requests.
final class ServerCounters: Sendable {
    private struct Open {
        var total = 0
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
                "Requests and connections refused because a bound was reached.",
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
    /// machine nor from a proxy (security.md section 7.2).
    func admit(_ remote: SocketAddress, isEncrypted: Bool) -> Bool {
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
        let key = key(remote)
        let refusal: Counter? = open.withLock { open in
            guard open.total < limits.connectionsMax else { return shedConnections }
            if let key {
                let count = open.byAddress[key, default: 0]
                guard count < limits.connectionsPerAddressMax else { return shedAddress }
                open.byAddress[key] = count + 1
            }
            open.total += 1
            return nil
        }
        refusal?.add()
        return refusal == nil
    }

    func release(_ remote: SocketAddress) {
        let key = key(remote)
        open.withLock { open in
            open.total -= 1
            guard let key, let count = open.byAddress[key] else { return }
            open.byAddress[key] = count > 1 ? count - 1 : nil
        }
    }

    func unsendable() {
        log.error("an answer had a field with a control byte, 500 sent instead")
    }

    private func mayBePlain(_ remote: SocketAddress) -> Bool {
        remote.isLoopback || proxies.contains { $0.contains(remote) }
    }

    /// The IPv4 address or the first 64 bits of the IPv6 one; nil for those without a bound.
    private func key(_ remote: SocketAddress) -> [UInt8]? {
        guard remote.family != .local, !proxies.contains(where: { $0.contains(remote) }) else {
            return nil
        }
        return remote.family == .ipv6 ? Array(remote.bytes.prefix(8)) : remote.bytes
    }
}
