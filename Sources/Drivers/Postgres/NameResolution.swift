import Glibc
package import Runtime

/// Finds the addresses of a host, beside the loop: libpq itself would stand still over it.
package struct NameResolution: Sendable {
    /// How many are tried; a name has a few.
    private static let addressesMax = 8

    private let executor: BlockingExecutor
    private let lookups = Guarded(0)

    /// Looks names up on the threads of `executor`.
    package init(on executor: BlockingExecutor) { self.executor = executor }

    /// The numeric addresses of `host`; never none.
    ///
    /// Each time another one comes first: a server that says nothing takes a whole attempt.
    ///
    /// - Throws: `.cannotConnect` when the name is not known, or nobody can be asked.
    package func addresses(of host: String) async throws(PostgresError) -> [String] {
        let answer: Result<[String], PostgresError>
        do { answer = try await executor.run { Self.lookUp(host) } } catch {
            throw .cannotConnect("too many blocking calls wait")
        }
        let addresses = try answer.get()
        let count = lookups.withLock { lookups in
            defer { lookups &+= 1 }
            return lookups
        }
        return Self.turned(addresses, by: count)
    }

    /// In an order of our own: a name server may turn its answers, too, and meet us each time.
    static func turned(_ addresses: [String], by count: Int) -> [String] {
        let addresses = addresses.sorted()
        let first = count % addresses.count
        return Array(addresses[first...] + addresses[..<first])
    }

    private static func lookUp(_ host: String) -> Result<[String], PostgresError> {
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
