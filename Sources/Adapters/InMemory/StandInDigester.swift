package import Domain
package import Issuing
internal import Runtime

/// A stand-in for SHA-256: deterministic, spread out, and worth nothing as cryptography.
package struct StandInDigester: Digester {
    /// What stands for the root secret, and for a second one while it is replaced.
    private struct Roots {
        var current: [UInt8] = []
        var second: [UInt8]?
    }

    private let roots = Guarded(Roots())

    package init() {}

    /// Takes other root secrets from now on, as a node that reads them.
    package func use(_ current: [UInt8], second: [UInt8]? = nil) {
        roots.replace(with: Roots(current: current, second: second))
    }

    package func sha256(_ bytes: [UInt8]) -> TokenDigest {
        var words: [UInt8] = []
        for salt in 0..<4 as Range<UInt64> {
            var hash: UInt64 = 0xCBF2_9CE4_8422_2325 ^ (salt &* 0x9E37_79B9_7F4A_7C15)
            for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
            hash = (hash ^ (hash >> 29)) &* 0xBF58_476D_1CE4_E5B9
            for shift in stride(from: 0, to: 64, by: 8) as StrideTo<UInt64> {
                words.append(UInt8(truncatingIfNeeded: hash >> shift))
            }
        }
        return TokenDigest(bytes: words) ?? self.sha256([])
    }

    package func mac(_ label: KeyLabel, _ bytes: [UInt8]) -> TokenDigest {
        self.mac(label, bytes, roots.current.current)
    }

    package func macs(_ label: KeyLabel, _ bytes: [UInt8])
        -> (current: TokenDigest, second: TokenDigest?)
    {
        let roots = roots.current
        return (mac(label, bytes, roots.current), roots.second.map { mac(label, bytes, $0) })
    }

    package func isValid(_ mac: TokenDigest, _ label: KeyLabel, _ bytes: [UInt8]) -> Bool {
        let (current, second) = macs(label, bytes)
        return current == mac || second == mac
    }

    private func mac(_ label: KeyLabel, _ bytes: [UInt8], _ root: [UInt8]) -> TokenDigest {
        // Names of streams outlive every root secret.
        let root = label == .lookup ? [] : root
        return sha256(root + Array(label.rawValue.utf8) + [0] + bytes)
    }
}
