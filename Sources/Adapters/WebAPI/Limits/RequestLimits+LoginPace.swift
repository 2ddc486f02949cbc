package import Domain
internal import Issuing

// As often as a family may be refreshed; no key's stream is a session's.
extension RequestLimits: LoginPace {
    package func wait(for key: StreamID) -> Int? { wait(.refresh, Self.bytes(key)) }

    package func countRefused(_ key: StreamID) { hit(.refresh) }

    package func count(_ key: StreamID) { charge(.refresh, Self.bytes(key)) }

    private static func bytes(_ key: StreamID) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(16)
        bytes.append(bigEndian: key.high)
        bytes.append(bigEndian: key.low)
        return bytes
    }
}
