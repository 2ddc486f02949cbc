package import Domain

/// One subject's key.
package protocol SealingKey: Sendable {
    /// Additional data: stream id, version, type number, member name.
    func seal(_ value: [UInt8], as place: SealedPlace) -> Sealed

    /// Nil when the value was sealed elsewhere or altered.
    func open(_ sealed: Sealed, at place: SealedPlace) -> [UInt8]?
}
