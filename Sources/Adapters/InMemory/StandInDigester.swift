package import Domain
package import Issuing

/// A stand-in for SHA-256: deterministic, spread out, and worth nothing as cryptography.
package struct StandInDigester: Digester {
    package init() {}

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
        sha256(Array(label.rawValue.utf8) + [0] + bytes)
    }

    package func isValid(_ mac: TokenDigest, _ label: KeyLabel, _ bytes: [UInt8]) -> Bool {
        self.mac(label, bytes) == mac
    }
}
