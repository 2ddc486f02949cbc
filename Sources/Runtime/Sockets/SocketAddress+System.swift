internal import CLinux
import Glibc

extension SocketAddress {
    /// Calls `body` with the system's form of the address.
    func withSystemForm<Result>(
        _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
    ) -> Result {
        var storage = sockaddr_storage()
        let length = unsafe withUnsafeMutableBytes(of: &storage) { unsafe write(into: $0) }
        return unsafe withUnsafePointer(to: &storage) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe body($0, length)
            }
        }
    }

    /// Reads what a system call wrote, such as accept's or getsockname's answer.
    static func reading(
        _ call: (UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32
    ) -> (result: Int32, address: SocketAddress) {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let result = unsafe withUnsafeMutablePointer(to: &storage) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe call($0, &length)
            }
        }
        guard result >= 0 else { return (result, .unnamed) }
        let address = unsafe withUnsafeBytes(of: &storage) { unsafe Self($0, Int(length)) }
        return (result, address)
    }

    // The layouts of sockaddr_in, _in6 and _un on Linux: family (2, host order), then
    // port (2, network order), address at 4, or 8 for IPv6; a local path follows the family.
    private func write(into raw: UnsafeMutableRawBufferPointer) -> socklen_t {
        let kind: Int32
        let start: Int
        switch family {
        case .ipv4: (kind, start) = (AF_INET, 4)
        case .ipv6: (kind, start) = (AF_INET6, 8)
        case .local: (kind, start) = (AF_UNIX, 2)
        }
        unsafe raw.storeBytes(of: sa_family_t(kind), as: sa_family_t.self)
        if family != .local {
            unsafe raw.storeBytes(of: port.bigEndian, toByteOffset: 2, as: UInt16.self)
        }
        for (offset, byte) in bytes.enumerated() { unsafe raw[start + offset] = byte }
        switch family {
        case .ipv4: return socklen_t(MemoryLayout<sockaddr_in>.size)
        case .ipv6: return socklen_t(MemoryLayout<sockaddr_in6>.size)
        case .local:
            // A path ends with a NUL; an abstract name begins with one, and all of it is the name.
            return socklen_t(start + bytes.count + (bytes.first == 0 ? 0 : 1))
        }
    }

    private init(_ raw: UnsafeRawBufferPointer, _ length: Int) {
        guard length >= 2 else {
            self = .unnamed
            return
        }
        let port = unsafe UInt16(bigEndian: raw.loadUnaligned(fromByteOffset: 2, as: UInt16.self))
        switch Int32(unsafe raw.loadUnaligned(as: sa_family_t.self)) {
        case AF_INET: unsafe self.init(.ipv4, Array(raw[4..<8]), port: port)
        case AF_INET6: self = unsafe Self(.ipv6, Array(raw[8..<24]), port: port).unmapped
        default:
            let path = unsafe raw[2..<max(2, min(length, 110))].prefix { $0 != 0 }
            unsafe self.init(.local, Array(path), port: 0)
        }
    }
}
