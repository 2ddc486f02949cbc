package import Domain
package import Issuing

/// Reads no JWT: for tests in which no phone signs.
package struct StandInClientJWTReader: ClientJWTReader {
    package init() {}

    package func open(_ text: [UInt8], as kind: ClientJWT.Kind)
        throws(ClientJWT.Malformed) -> ClientJWT
    {
        throw .form
    }

    package func isSigned(_ jwt: ClientJWT, by key: DeviceKey) -> Bool { false }
}
