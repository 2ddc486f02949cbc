package import Domain

/// The ids of streams that are found by a name (class K and S; Events 2.2 and 8).
///
/// A class, since every command copies it.
package final class StreamNames: Sendable {
    private let digester: any Digester

    package init(_ digester: any Digester) { self.digester = digester }

    /// Whose an e-mail address is.
    package func loginID(_ email: EmailAddress, in project: ProjectNumber) -> StreamID {
        keyed("login-id", project, [Array("email".utf8), email.bytes])
    }

    /// What a user has allowed a client.
    package func consent(_ subject: SubjectID, _ client: ClientID, in project: ProjectNumber)
        -> StreamID
    {
        keyed("consent", project, [subject.stream.bytes, Array(client.text.utf8)])
    }

    /// A biometric key by the name its app gave it.
    package func biometricKey(_ kid: String, in project: ProjectNumber) -> StreamID {
        keyed("biometric", project, [Array(kid.utf8)])
    }

    /// The same by its material, which belongs to one `kid` of a project for good.
    package func biometricMaterial(_ key: Thumbprint, in project: ProjectNumber) -> StreamID {
        keyed("biometric-material", project, [key.digest.bytes])
    }

    /// No stream: the name under which setups of one user's biometric keys take turns.
    package func biometricKeys(of subject: SubjectID, in project: ProjectNumber) -> StreamID {
        keyed("biometric-keys", project, [subject.stream.bytes])
    }

    /// No stream: the correlation of a command that no request gave.
    ///
    /// It is published, so it must not lead to the command's id, which is not.
    package func correlation(of command: CommandID, in project: ProjectNumber) -> StreamID {
        keyed("correlation", project, [command.stream.bytes])
    }

    /// A project's key ring.
    package func signingKeys(of project: ProjectNumber) -> StreamID {
        keyed("signing-key", project, [])
    }

    /// By number, dense from 1, so that all projects are found without an index.
    package func projectConfig(_ project: ProjectNumber) -> StreamID {
        keyed("project-config", project, [])
    }

    /// The `client_id` column: K-class id of the client's name (Events 1).
    package func client(_ client: ClientID, in project: ProjectNumber) -> StreamID {
        keyed("client", project, [Array(client.text.utf8)])
    }

    /// One use of a client assertion's `jti`.
    package func clientAssertion(
        _ assertion: VerifiedAssertion,
        of client: ClientID,
        in project: ProjectNumber
    ) -> StreamID {
        let bytes = Self.framed(
            "client_assertion",
            project,
            [Array(client.text.utf8), assertion.id]
        )
        return .spent(
            refusedAfter: assertion.expiresAt.adding(seconds: 60),
            digester.sha256(bytes)
        )
    }

    /// One use of a challenge: its sixteen bytes that are not MAC.
    package func challenge(
        _ body: [UInt8],
        expiresAt: Instant,
        in project: ProjectNumber
    ) -> StreamID {
        let bytes = Self.framed("challenge", project, [body])
        return .spent(refusedAfter: expiresAt, digester.sha256(bytes))
    }

    /// One use of an app-session token: its bytes that are not MAC.
    package func appSession(
        _ body: [UInt8],
        expiresAt: Instant,
        in project: ProjectNumber
    ) -> StreamID {
        let bytes = Self.framed("app_session", project, [body])
        return .spent(refusedAfter: expiresAt, digester.sha256(bytes))
    }

    /// One use of a proof's `jti` by its key.
    package func dpopProof(
        _ id: [UInt8],
        by key: Thumbprint,
        refusedAfter: Instant,
        in project: ProjectNumber
    ) -> StreamID {
        let bytes = Self.framed("dpop", project, [key.digest.bytes, id])
        return .spent(refusedAfter: refusedAfter, digester.sha256(bytes))
    }

    private func keyed(_ kind: String, _ project: ProjectNumber, _ parts: [[UInt8]]) -> StreamID {
        .keyed(digester.mac(.lookup, Self.framed(kind, project, parts)))
    }

    /// Each part behind its length, so that no two lists of parts share their bytes.
    private static func framed(_ kind: String, _ project: ProjectNumber, _ parts: [[UInt8]])
        -> [UInt8]
    {
        var bytes = Array(kind.utf8) + [0]
        project.append(to: &bytes)
        for part in parts {
            bytes.append(bigEndian: UInt16(truncatingIfNeeded: part.count))
            bytes += part
        }
        return bytes
    }
}
