package import Domain

/// Takes JWTs apart that phones signed, and checks their signatures (WireContract 6.2).
package protocol ClientJWTReader: Sendable {
    /// Steps 1 to 3: form, `typ`, `alg`, header members, and the embedded key if there is one.
    func open(_ text: [UInt8], as kind: ClientJWT.Kind) throws(ClientJWT.Malformed) -> ClientJWT

    /// Step 5: whether `key` signed it with the algorithm it names.
    func isSigned(_ jwt: ClientJWT, by key: DeviceKey) -> Bool
}
