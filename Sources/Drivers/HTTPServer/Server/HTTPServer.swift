package import Runtime

// @unchecked: `state` is guarded; the rest never changes.
/// An HTTP/1.1 server on loops: one strict grammar, absolute deadlines, bounds on everything.
///
/// TCP addresses get a listener per loop on one port; a local socket is shared by all. Each
/// connection stays on the loop that accepted it.
package final class HTTPServer: Sendable {
    private struct State {
        var listeners: [Listener] = []
        var descriptors: [Int32] = []
    }

    private let settings: ServerSettings
    private let workers: [Worker]
    private let counters: ServerCounters
    private let log: Log
    private let tls = Guarded<TLSStore?>(nil)
    private let state = Guarded(State())

    /// Describes a server; nothing listens before `start`.
    package init(
        _ settings: ServerSettings,
        handler: any RequestHandler,
        loops: [Loop],
        log: Log,
        metrics: Metrics
    ) {
        precondition(!loops.isEmpty, "a server needs a loop")
        self.settings = settings
        self.log = log.with(.field("listener", settings.name))
        let counters = ServerCounters(settings, self.log, metrics)
        self.counters = counters
        workers = loops.map { loop in
            Worker(loop, of: loops.count, settings.limits, handler, counters)
        }
        guard settings.tls != nil else { return }
        RuntimeMetrics.publish(certificateOf: settings.name, to: metrics) { [tls] in
            tls.current?.current.endsAt
        }
    }

    /// Listens; returns the bound addresses, with the ports the system chose, in the order given.
    ///
    /// - Throws: `.tls` or `.listen`; then nothing listens.
    @discardableResult
    package func start() throws(ServerError) -> [SocketAddress] {
        if let tls = settings.tls { self.tls.replace(with: try TLSStore(tls)) }
        var bound: [SocketAddress] = []
        do throws(ServerError) {
            for address in settings.addresses { bound.append(try listen(at: address)) }
        } catch {
            closeListeners()
            throw error
        }
        for listener in state.current.listeners { listener.begin() }
        for address in bound { log.notice("listening", .field("address", "\(address)")) }
        return bound
    }

    /// Reads the TLS files again; the old certificate stays in use when they are bad.
    ///
    /// Blocking: call it on the `BlockingExecutor`.
    /// - Throws: `.tls`, naming the file.
    package func reload() throws(ServerError) {
        try tls.current?.reload()
    }

    /// How many connections are open.
    package var connectionCount: Int { counters.connectionCount }

    /// Ends in order: stops listening, closes idle connections, lets requests finish, at most 10 s.
    package func drain() async {
        closeListeners()
        for worker in workers { worker.loop.post { worker.drain() } }
        let clock = workers[0].loop
        let deadline = MonotonicInstant.now().advanced(by: settings.limits.drainTime)
        while connectionCount > 0, MonotonicInstant.now() < deadline {
            let pause = MonotonicInstant.now().advanced(by: .milliseconds(10))
            do throws(CancellationError) {
                try await clock.sleep(until: pause)
            } catch {
                break
            }
        }
        let left = connectionCount
        if left > 0 { log.warning("closing connections that did not end", .field("count", left)) }
        for worker in workers { worker.loop.post { worker.closeAll() } }
    }

    private func listen(at address: SocketAddress) throws(ServerError) -> SocketAddress {
        let isShared = address.family == .local
        var bound = address
        var shared: Int32?
        var hasFirst = false
        for worker in workers {
            let descriptor: Int32
            if let shared {
                descriptor = shared
            } else {
                do throws(SystemError) {
                    descriptor = try Sockets.listen(at: bound, joining: hasFirst)
                } catch {
                    throw .listen(address, error)
                }
                if isShared {
                    shared = descriptor
                } else if !hasFirst {
                    bound = Sockets.localAddress(of: descriptor)
                    if workers.count > 1 { Sockets.admitMore(beside: descriptor) }
                    hasFirst = true
                }
                state.withLock { $0.descriptors.append(descriptor) }
            }
            let listener = Listener(descriptor, on: worker, tls: tls.current, log: log)
            state.withLock { $0.listeners.append(listener) }
        }
        return bound
    }

    private func closeListeners() {
        let state = self.state.replace(with: State())
        // A descriptor may be watched by several loops: each lets go, the last closes.
        let remaining = Guarded(state.listeners.count)
        for listener in state.listeners {
            listener.end {
                let isLast = remaining.withLock { count in
                    count -= 1
                    return count == 0
                }
                if isLast { for descriptor in state.descriptors { Sockets.close(descriptor) } }
            }
        }
        if state.listeners.isEmpty {
            for descriptor in state.descriptors { Sockets.close(descriptor) }
        }
    }
}
