package import Domain

/// Values for tests, told apart by a number.
package enum Sample {
    package static func stream(_ number: UInt64) -> StreamID {
        StreamID(high: 0x0190_0000_0000_7000, low: 0x8000_0000_0000_0000 | number)
    }

    package static func subject(_ number: UInt64) -> SubjectID { SubjectID(stream(number)) }

    package static func session(_ number: UInt64) -> SessionID { SessionID(stream(number)) }

    package static func token(_ number: UInt64) -> TokenID { TokenID(stream(number)) }

    package static func digest(_ number: UInt8) -> TokenDigest {
        guard let digest = TokenDigest(bytes: [UInt8](repeating: number, count: 32)) else {
            preconditionFailure("32 bytes are a digest")
        }
        return digest
    }

    package static func key(_ number: UInt8) -> Thumbprint { Thumbprint(digest: digest(number)) }

    package static func sealed(_ number: UInt8) -> Sealed {
        Sealed(bytes: [1] + [UInt8](repeating: number, count: 28))
    }

    package static func client(_ text: String) -> ClientID {
        guard let client = ClientID(text) else { preconditionFailure("no client_id: \(text)") }
        return client
    }

    package static func redirectURI(_ text: String) -> RedirectURI {
        guard let uri = RedirectURI(text) else { preconditionFailure("no URI: \(text)") }
        return uri
    }

    package static func scope(_ text: String) -> Scope {
        guard let scope = Scope(text) else { preconditionFailure("no scope: \(text)") }
        return scope
    }

    package static func project(_ text: String) -> ProjectID {
        guard let project = ProjectID(text) else { preconditionFailure("no project: \(text)") }
        return project
    }

    package static func number(_ value: Int16) -> ProjectNumber {
        guard let number = ProjectNumber(value) else { preconditionFailure("no number: \(value)") }
        return number
    }

    /// Seconds after 2026-11-21T03:47:34.473Z.
    package static func time(_ seconds: Double) -> Instant {
        Instant(microseconds: 1_795_232_854_473_000 + Int64(seconds * 1_000_000))
    }
}
