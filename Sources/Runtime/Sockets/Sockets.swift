internal import CLinux
import Glibc

/// The only place that makes sockets: all non-blocking, closed on exec, TCP without delay.
package enum Sockets {
    /// How many connections the kernel keeps until they are accepted.
    package static let backlog: Int32 = 1_024

    /// Listens at `address`, alone unless it is told to join.
    ///
    /// Where several loops listen at one port, the first one's listener is alone like any other, so
    /// that no other process listens there; `admitMore` lets the next ones be `joining`.
    ///
    /// A local path that exists as a socket nobody listens at is replaced; its file gets mode 0600.
    /// - Throws: `socket`; `bind` (in use, forbidden); `listen`, in use, when another process that
    ///   bound the address at the same time was first.
    package static func listen(
        at address: SocketAddress,
        joining: Bool = false
    ) throws(SystemError) -> Int32 {
        let descriptor = try make(address)
        if address.family != .local {
            set(descriptor, SOL_SOCKET, SO_REUSEADDR)
            if joining { set(descriptor, SOL_SOCKET, SO_REUSEPORT) }
            set(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY)  // Accepted sockets inherit it.
            if address.family == .ipv6 { set(descriptor, Int32(IPPROTO_IPV6), IPV6_V6ONLY) }
        } else {
            do throws(SystemError) { try removeStaleSocket(address) } catch {
                throw closing(descriptor, error)
            }
        }
        // The mask, not chmod: between bind and chmod others could connect.
        let mask = umask(0o177)
        let bound = unsafe address.withSystemForm { unsafe bind(descriptor, $0, $1) }
        let failure = SystemError.last("bind")
        umask(mask)
        guard bound == 0 else { throw closing(descriptor, failure) }
        guard Glibc.listen(descriptor, backlog) == 0 else {
            throw closing(descriptor, .last("listen"))
        }
        return descriptor
    }

    /// Lets listeners that are `joining` share the port of this one.
    ///
    /// Of processes, still this one alone: what another one binds is alone, too, and refused.
    package static func admitMore(beside listener: Int32) {
        set(listener, SOL_SOCKET, SO_REUSEPORT)
    }

    /// One accepted connection.
    package enum Acceptance: Sendable {
        /// A connection and its other end.
        case connection(Int32, from: SocketAddress)
        /// None is waiting.
        case wouldBlock
        /// The process or the system is out of descriptors or memory.
        case exhausted
        /// This one failed already; go on with the next.
        case aborted
    }

    /// Takes one waiting connection of a listener.
    package static func accept(_ listener: Int32) -> Acceptance {
        let (descriptor, address) = unsafe SocketAddress.reading {
            unsafe clinux_accept(listener, $0, $1)
        }
        if descriptor >= 0 { return .connection(descriptor, from: address) }
        switch errno {
        case EAGAIN: return .wouldBlock
        case EMFILE, ENFILE, ENOBUFS, ENOMEM: return .exhausted
        default: return .aborted
        }
    }

    /// Starts a connection; it is made, or has failed, when the descriptor is writable.
    ///
    /// - Throws: `socket`, or `connect` when it fails at once. Ask `pendingError` once writable.
    package static func connect(to address: SocketAddress) throws(SystemError) -> Int32 {
        let descriptor = try make(address)
        if address.family != .local { set(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY) }
        let made = unsafe address.withSystemForm { unsafe Glibc.connect(descriptor, $0, $1) }
        guard made == 0 || errno == EINPROGRESS else {
            throw closing(descriptor, .last("connect"))
        }
        return descriptor
    }

    /// The error a connection met outside a call, if any; asking clears it.
    package static func pendingError(_ descriptor: Int32) -> SystemError? {
        var number: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        let asked = unsafe getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &number, &length)
        guard asked == 0 else { return .last("getsockopt") }
        return number == 0 ? nil : SystemError(call: "connect", number: number)
    }

    /// Where a socket is bound: tells the port the system chose.
    package static func localAddress(of descriptor: Int32) -> SocketAddress {
        unsafe SocketAddress.reading { unsafe getsockname(descriptor, $0, $1) }.address
    }

    /// Ends the writing half; the other side reads an end of file.
    package static func finishWriting(_ descriptor: Int32) {
        _ = shutdown(descriptor, Int32(SHUT_WR))
    }

    /// Closes a descriptor; its watch must be cancelled before.
    package static func close(_ descriptor: Int32) { _ = Glibc.close(descriptor) }

    private static func make(_ address: SocketAddress) throws(SystemError) -> Int32 {
        let domain =
            switch address.family {
            case .ipv4: AF_INET
            case .ipv6: AF_INET6
            case .local: AF_UNIX
            }
        let kind =
            Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
            | Int32(SOCK_CLOEXEC.rawValue)
        let descriptor = socket(domain, kind, 0)
        guard descriptor >= 0 else { throw .last("socket") }
        return descriptor
    }

    private static func set(_ descriptor: Int32, _ level: Int32, _ option: Int32) {
        var on: Int32 = 1
        _ = unsafe setsockopt(
            descriptor,
            level,
            option,
            &on,
            socklen_t(MemoryLayout<Int32>.size)
        )
    }

    /// - Throws: `bind`, in use, when somebody listens there: a second start of a service must not
    ///   take the first one's socket away; `EEXIST` when it is no socket, which nobody will end.
    private static func removeStaleSocket(_ address: SocketAddress) throws(SystemError) {
        let path = String(decoding: address.bytes, as: UTF8.self)
        var status = stat()
        guard unsafe lstat(path, &status) == 0 else { return }
        guard status.st_mode & S_IFMT == S_IFSOCK else {
            throw SystemError(call: "bind", number: EEXIST)
        }
        do throws(SystemError) {
            close(try connect(to: address))
        } catch  where error.number == ECONNREFUSED {
            unsafe unlink(path)
            return
        }
        throw SystemError(call: "bind", number: EADDRINUSE)
    }

    private static func closing(_ descriptor: Int32, _ error: SystemError) -> SystemError {
        close(descriptor)
        return error
    }
}
