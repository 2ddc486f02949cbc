package import Domain
package import OAuth

/// Ends a browser-session, then the sessions opened from it (WireContract 9.7).
///
/// From the one event on nothing that depends on it passes: every issuing append guards it.
/// Recording the end of each dependent session follows.
package struct EndBrowserSession: Sendable {
    private let context: SignInContext
    private let ending: SessionEnding

    package init(_ context: SignInContext) {
        self.context = context
        ending = SessionEnding(commands: context.commands)
    }

    /// Ends the session, then revokes what joined it; one that has ended already is gone through
    /// again.
    package func end(
        _ id: SessionID,
        of subject: SubjectID,
        _ reason: BrowserSession.EndReason,
        _ browser: BrowserRequest,
        cause: Cause? = nil
    ) async throws(OAuthError) {
        var command = Self.command(of: subject, browser)
        command.attributes.cause = cause
        let ended = try await context.run(command.ending, of: browser, on: id.stream) {
            (work: inout Work) async throws(CommandError<OAuthError>) in
            do throws(StoreError) { return try await work.endBrowser(id, reason) } catch {
                throw .store(error)
            }
        }
        // The end stands; what this leaves out is followed (decision 0098).
        _ = try? await ending.revokeJoined(ended, of: id, reason, request: command)
    }

    /// Revokes what joined a session that has ended already, for the reason of that end; as far as
    /// that can be done now.
    package func finish(_ id: SessionID, of subject: SubjectID, _ browser: BrowserRequest) async {
        _ = try? await ending.finishBrowser(id, request: Self.command(of: subject, browser))
    }

    /// Ends one app's session.
    package func revoke(
        _ grant: SessionID,
        of subject: SubjectID,
        _ reason: RevocationReason,
        _ browser: BrowserRequest
    ) async throws(OAuthError) {
        let command = Self.command(of: subject, browser)
        do { try await ending.revoke(grant, reason, request: command) } catch {
            throw OAuthError(error)
        }
    }

    /// Ends a client's part of a session that another opened; the others stay.
    package func leave(
        _ grant: SessionID,
        _ client: ClientID,
        of subject: SubjectID,
        _ browser: BrowserRequest
    ) async throws(OAuthError) {
        let command = Self.command(of: subject, browser)
        do { try await ending.leave(grant, client, .logout, request: command) } catch {
            throw OAuthError(error)
        }
    }

    private static func command(of subject: SubjectID, _ browser: BrowserRequest)
        -> CommandRequest
    {
        var command = browser.command()
        command.attributes.actor = .subject(subject)
        command.attributes.subject = subject
        return command
    }
}

extension BrowserSession.State {
    /// What was opened, whatever became of it; nil when nothing was.
    package var session: BrowserSession.Session? {
        switch self {
        case .absent: nil
        case .open(let shared), .ended(let shared, _): shared.value
        }
    }
}
