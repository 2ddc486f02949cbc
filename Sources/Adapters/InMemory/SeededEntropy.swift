internal import Issuing
internal import Runtime

/// Bytes that look random and are the same for the same seed (SplitMix64).
package final class SeededEntropy: Entropy {
    private let state: Guarded<UInt64>

    package init(seed: UInt64 = 1) { state = Guarded(seed) }

    package func bytes(_ count: Int) -> [UInt8] {
        state.withLock { state in
            var bytes: [UInt8] = []
            while bytes.count < count {
                state &+= 0x9E37_79B9_7F4A_7C15
                var mixed = state
                mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
                mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
                mixed ^= mixed >> 31
                for shift in stride(from: 0, to: 64, by: 8) {
                    bytes.append(UInt8(truncatingIfNeeded: mixed >> UInt64(shift)))
                }
            }
            return Array(bytes.prefix(count))
        }
    }
}
