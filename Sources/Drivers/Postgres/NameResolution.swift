import Glibc
package import Runtime

/// Finds the addresses of a host, beside the loop: libpq itself would stand still over it.
package struct NameResolution: Sendable {
    /// How many are tried; a name has a few.
    private static let addressesMax = 8

    typealias Answer = Result<[String], PostgresError>

    private let executor: BlockingExecutor
    private let lookUp: @Sendable (_ host: String) -> Answer
    private let lookups = Guarded(0)
    /// Who waits for the look-up of a host that another connection has begun.
    private let waiting = Guarded<[String: [Resumption<Answer?>]]>([:])

    /// Looks names up on the threads of `executor`.
    package init(on executor: BlockingExecutor) {
        self.init(on: executor) { Self.system($0) }
    }

    init(
        on executor: BlockingExecutor,
        lookUp: @escaping @Sendable (_ host: String) -> Answer
    ) {
        self.executor = executor
        self.lookUp = lookUp
    }

    /// The numeric addresses of `host`; never none.
    ///
    /// Each time another one comes first: a server that says nothing takes a whole attempt.
    ///
    /// - Throws: `.cannotConnect` when the name is not known, or nobody can be asked.
    package func addresses(of host: String) async throws(PostgresError) -> [String] {
        let addresses = try await shared(host).get()
        let count = lookups.withLock { lookups in
            defer { lookups &+= 1 }
            return lookups
        }
        return Self.turned(addresses, by: count)
    }

    /// One look-up of a host at a time: all connections of a process ask at once, as when their
    /// server has gone, and a name server that is down takes seconds for each.
    private func shared(_ host: String) async -> Answer {
        guard let loop = Loop.current else { return await ask(for: host) }
        while true {
            if begins(host) { return await ask(for: host) }
            let heard: Answer? = await loop.park { (turn: Resumption<Answer?>) in
                // It may be over by now.
                if !joins(turn, host) { turn.resume(returning: nil) }
            }
            if let heard { return heard }
        }
    }

    private func begins(_ host: String) -> Bool {
        waiting.withLock { waiting in
            guard waiting[host] == nil else { return false }
            waiting[host] = []
            return true
        }
    }

    private func joins(_ turn: Resumption<Answer?>, _ host: String) -> Bool {
        waiting.withLock { waiting in
            guard waiting[host] != nil else { return false }
            waiting[host]?.append(turn)
            return true
        }
    }

    private func ask(for host: String) async -> Answer {
        do {
            return try await executor.run {
                let answer = lookUp(host)
                // On this thread: the loop of who asked may stand still, or have ended.
                tell(answer, of: host)
                return answer
            }
        } catch {
            let answer = Answer.failure(.cannotConnect("too many blocking calls wait"))
            tell(answer, of: host)
            return answer
        }
    }

    private func tell(_ answer: Answer, of host: String) {
        let others = waiting.withLock { $0.removeValue(forKey: host) }
        for other in others ?? [] { other.resume(returning: answer) }
    }

    /// In an order of our own: a name server may turn its answers, too, and meet us each time.
    static func turned(_ addresses: [String], by count: Int) -> [String] {
        let addresses = addresses.sorted()
        let first = count % addresses.count
        return Array(addresses[first...] + addresses[..<first])
    }

    private static func system(_ host: String) -> Answer {
        var hints = unsafe addrinfo()
        unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        unsafe hints.ai_flags = AI_ADDRCONFIG
        var found: UnsafeMutablePointer<addrinfo>?
        let status = unsafe getaddrinfo(host, nil, &hints, &found)
        guard status == 0, let first = unsafe found else {
            let reason = unsafe gai_strerror(status).map { unsafe String(cString: $0) } ?? ""
            return .failure(.cannotConnect("cannot find \(host): \(reason)"))
        }
        defer { unsafe freeaddrinfo(first) }
        var addresses: [String] = []
        var next: UnsafeMutablePointer<addrinfo>? = unsafe first
        while let entry = unsafe next, addresses.count < addressesMax {
            if let text = unsafe numeric(entry.pointee), !addresses.contains(text) {
                addresses.append(text)
            }
            unsafe next = entry.pointee.ai_next
        }
        guard !addresses.isEmpty else { return .failure(.cannotConnect("no address of \(host)")) }
        return .success(addresses)
    }

    private static func numeric(_ entry: addrinfo) -> String? {
        var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
        let length = socklen_t(text.count)
        let failed = unsafe getnameinfo(
            entry.ai_addr,
            entry.ai_addrlen,
            &text,
            length,
            nil,
            0,
            NI_NUMERICHOST
        )
        return failed == 0 ? String(upToNUL: text) : nil
    }
}
