import Glibc
package import Runtime

/// Finds the address of a host, beside the loop: libpq itself would stand still over it.
package struct NameResolution: Sendable {
    private let executor: BlockingExecutor

    /// Looks names up on the threads of `executor`.
    package init(on executor: BlockingExecutor) { self.executor = executor }

    /// A numeric address of `host`, the system's first choice.
    ///
    /// - Throws: `.cannotConnect` when the name is not known, or nobody can be asked.
    package func address(of host: String) async throws(PostgresError) -> String {
        let answer: Result<String, PostgresError>
        do { answer = try await executor.run { Self.lookUp(host) } } catch {
            throw .cannotConnect("too many blocking calls wait")
        }
        return try answer.get()
    }

    private static func lookUp(_ host: String) -> Result<String, PostgresError> {
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
        var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
        let length = socklen_t(text.count)
        let failed = unsafe getnameinfo(
            first.pointee.ai_addr,
            first.pointee.ai_addrlen,
            &text,
            length,
            nil,
            0,
            NI_NUMERICHOST
        )
        guard failed == 0 else { return .failure(.cannotConnect("no address of \(host)")) }
        let bytes = text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        return .success(String(decoding: bytes, as: UTF8.self))
    }
}
