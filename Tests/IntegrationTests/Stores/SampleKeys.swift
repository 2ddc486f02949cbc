import Domain
import Issuing

extension WrappedSealingKey {
    /// One that opens nothing, filled with `byte`.
    static func sample(_ id: StreamID, in project: ProjectNumber, byte: UInt8 = 7) -> Self {
        Self(
            id: id,
            project: project,
            kekVersion: 1,
            wrapped: Array(repeating: byte, count: 61),
            commitment: Array(repeating: byte, count: 32)
        )
    }
}
