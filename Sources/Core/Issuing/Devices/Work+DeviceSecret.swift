internal import Domain
internal import OAuth

extension Work {
    /// The device secret to answer with: the presented one while it is current, else the one that
    /// is just being handed over, else a new one (WireContract 5.1).
    ///
    /// Nil without `device_sso` in `scope`, and for a client whose it is not (decision 0053).
    mutating func handDeviceSecret(
        _ presented: OpaqueToken?,
        of client: ClientID,
        for scope: Scope,
        to grant: inout Loaded<OfflineGrant>,
        key: Thumbprint?,
        _ secrets: DeviceSecrets
    ) throws(CommandError<OAuthError>) -> DeviceSecrets.Handed? {
        guard scope.contains("device_sso"), let session = grant.state.sharedSession,
            session.value.isOnDevice(client)
        else { return nil }
        guard let current = session.value.deviceSecret else {
            return try issue(secrets.first(of: SessionID(grant.stream)), to: &grant, key, secrets)
        }
        if let presented, presented.stream == grant.stream,
            current.standing(of: presented.digest, at: now) == .current
        {
            do {
                try decide(.share(.presentDeviceSecret(presented.digest, at: now)), on: &grant)
            } catch { throw .refused(.wrongDeviceSecret("\(error)")) }
            return secrets.handed(presented)
        }
        if current.isHandingOver(at: now), let again = secrets.again(current, in: grant.stream) {
            return secrets.handed(again)
        }
        return try rotateDeviceSecret(of: &grant, key, secrets)
    }

    /// The successor of the current one; of one that is being handed over, that one again.
    mutating func rotateDeviceSecret(
        of grant: inout Loaded<OfflineGrant>,
        _ key: Thumbprint?,
        _ secrets: DeviceSecrets
    ) throws(CommandError<OAuthError>) -> DeviceSecrets.Handed {
        guard let current = grant.state.sharedSession?.value.deviceSecret else {
            return try issue(secrets.first(of: SessionID(grant.stream)), to: &grant, key, secrets)
        }
        let successor = secrets.successor(of: current, in: grant.stream)
        return try issue(successor, to: &grant, key, secrets)
    }

    private mutating func issue(
        _ secret: OpaqueToken,
        to grant: inout Loaded<OfflineGrant>,
        _ key: Thumbprint?,
        _ secrets: DeviceSecrets
    ) throws(CommandError<OAuthError>) -> DeviceSecrets.Handed {
        do {
            try decide(.share(.issueDeviceSecret(secret.digest, key: key, at: now)), on: &grant)
        } catch {
            throw .refused(OAuthError(.serverError, "try again later", cause: "\(error)"))
        }
        return secrets.handed(secret)
    }

    /// The first session on the device that holds this secret, when the secret is good now and of
    /// this user.
    mutating func sessionOnDevice(
        _ presented: OpaqueToken?,
        of subject: SubjectID
    ) async throws(CommandError<OAuthError>) -> SessionID? {
        guard let presented else { return nil }
        let other = try await loading(OfflineGrant.self, presented.stream)
        guard let session = other.state.openSession, session.opening.subject == subject,
            session.isLive(at: now),
            session.deviceSecret?.standing(of: presented.digest, at: now) != nil
        else { return nil }
        require(other)
        return session.linkedDevice ?? SessionID(presented.stream)
    }
}
