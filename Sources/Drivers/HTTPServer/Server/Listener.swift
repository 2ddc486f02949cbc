internal import Runtime

// @unchecked: touched on the worker's loop alone; `descriptor` never changes.
/// One listening socket on one loop: hands what it accepts to the worker.
final class Listener: @unchecked Sendable {
    static let acceptsPerTurnMax = 64
    static let exhaustionPause = Duration.milliseconds(100)

    let descriptor: Int32
    private let worker: Worker
    private let tls: TLSStore?
    private let log: Log
    private var watch: Watch?
    private var pause: LoopTimer?
    private var reserve: EventDescriptor?

    init(_ descriptor: Int32, on worker: Worker, tls: TLSStore?, log: Log) {
        self.descriptor = descriptor
        self.worker = worker
        self.tls = tls
        self.log = log
    }

    /// Starts accepting, on the worker's loop; from any thread.
    func begin() { worker.loop.post { [self] in start() } }

    /// Stops accepting and then calls `stopped`, on the worker's loop; from any thread.
    ///
    /// The socket itself is the server's to close.
    func end(_ stopped: @escaping @Sendable () -> Void) {
        worker.loop.post { [self] in
            stop()
            stopped()
        }
    }

    private func start() {
        reserve = try? EventDescriptor()
        watch = worker.loop.watch(descriptor, .readable) { [self] _ in accept() }
    }

    private func stop() {
        pause?.cancel()
        watch?.cancel()
        watch = nil
        reserve = nil
    }

    private func accept() {
        for _ in 0..<Self.acceptsPerTurnMax {
            switch Sockets.accept(descriptor) {
            case .connection(let accepted, let remote):
                worker.open(accepted, from: remote, tls: tls?.current)
            case .wouldBlock: return
            case .aborted: continue
            case .exhausted: return refuseOne()
            }
        }
    }

    /// Out of descriptors: the reserve lets one waiting client be told, by closing; then a pause,
    /// because the socket stays readable and would keep the loop busy.
    private func refuseOne() {
        log.error("out of descriptors, connections are refused")
        reserve = nil
        if case .connection(let accepted, _) = Sockets.accept(descriptor) {
            Sockets.close(accepted)
        }
        reserve = try? EventDescriptor()
        watch?.change(to: [])
        let end = worker.loop.now.advanced(by: Self.exhaustionPause)
        pause = worker.loop.schedule(at: end) { [self] in watch?.change(to: .readable) }
    }
}
