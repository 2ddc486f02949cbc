package import Domain
package import OAuth

/// A user's own sessions and keys, in a browser (WireContract 2 and 9.5).
package struct AccountSettings: Sendable {
    /// What the page shows.
    package struct View: Sendable {
        package struct Session: Sendable {
            package var entry: SessionList.Entry
            package var clientNames: [String]
            package var device: DeviceInfo?
            /// The one that the page was opened from.
            package var isCurrent: Bool
            /// Of its sign-out form.
            package var formToken: [UInt8]
        }

        package struct Key: Sendable {
            package var registration: BiometricKey.Registration
            package var clientName: String
            package var device: DeviceInfo?
            /// Of its removal form.
            package var formToken: [UInt8]
        }

        package struct Consent: Sendable {
            package var client: ClientID
            package var clientName: String
            package var scope: Scope
            /// Of its withdrawal form.
            package var formToken: [UInt8]
        }

        package var maskedAddress: String
        package var sessions: [Session]
        /// Where older sessions begin; nil when all are shown.
        package var next: SessionID?
        /// Whether there are more, which cannot be read.
        package var hasUnreadableSessions: Bool
        package var keys: [Key]
        /// Whether there are more, which cannot be read.
        package var hasUnreadableKeys: Bool
        /// To clients that need one.
        package var consents: [Consent]
        /// Whether there are more, which cannot be read.
        package var hasUnreadableConsents: Bool
        /// Of the form that signs out all other sessions.
        package var othersToken: [UInt8]
    }

    /// What a form asks for.
    package enum Action: Hashable, Sendable {
        case endSession(SessionID)
        case endOthers
        /// By its `kid`.
        case removeKey(String)
        case withdrawConsent(ClientID)
    }

    let context: SignInContext
    let liveness: Liveness
    private let sessions: UserSessions
    private let keys: BiometricKeys
    private let consents: Consents

    package init(_ context: SignInContext) {
        let commands = context.commands
        self.context = context
        liveness = Liveness(commands)
        sessions = UserSessions(commands: commands, sealer: context.sealer)
        keys = BiometricKeys(commands: commands, sealer: context.sealer)
        consents = Consents(commands: commands)
    }

    /// The page, from the session behind `cursor` on; nothing changes.
    ///
    /// - Throws: `login_required` for a browser that no user is signed in to.
    package func view(after cursor: [UInt8]?, _ browser: BrowserRequest)
        async throws(OAuthError) -> View
    {
        let visitor = try await visitor(browser)
        let after = try cursor.map { text throws(OAuthError) in try Self.session(text) }
        do throws(StoreError) {
            let page = try await sessions.page(
                of: visitor.subject,
                after: after,
                in: browser.project,
                by: browser.deadline
            )
            var view = View(
                maskedAddress: visitor.email.masked,
                sessions: [],
                next: page.next,
                hasUnreadableSessions: !page.unreadable.isEmpty,
                keys: [],
                hasUnreadableKeys: false,
                consents: [],
                hasUnreadableConsents: false,
                othersToken: token(for: .endOthers, visitor, browser)
            )
            let devices = try await sessions.devices(of: page.entries, by: browser.deadline)
            view.sessions = page.entries.map { entry in
                describe(entry, devices[entry.session.stream], visitor, browser)
            }
            let list = try await keys.shown(
                of: visitor.subject,
                in: browser.project.number,
                by: browser.deadline
            )
            view.keys = list.keys.map { describe($0, visitor, browser) }
            view.hasUnreadableKeys = !list.unreadable.isEmpty
            let allowed = try await consents.given(
                by: visitor.subject,
                deadline: browser.deadline
            )
            view.consents = allowed.given.compactMap { describe($0, visitor, browser) }
            view.hasUnreadableConsents = !allowed.unreadable.isEmpty
            return view
        } catch { throw OAuthError(error) }
    }

    /// Does what a form of the page asks for; what has been done already is no error.
    ///
    /// - Returns: whether the session that the page was opened from has been signed out.
    /// - Throws: `login_required` as above; a page 403 for a form that was not made for this
    ///   browser and this very session or key, whosever they are; a page 400 when it is too old.
    package func perform(_ action: Action, formToken: [UInt8]?, _ browser: BrowserRequest)
        async throws(OAuthError) -> Bool
    {
        let visitor: AccountVisitor
        do throws(OAuthError) { visitor = try await self.visitor(browser) } catch {
            if error.code == .loginRequired,
                try await hasSignedOut(by: action, formToken, browser)
            {
                return true
            }
            throw error
        }
        let (purpose, stream) = form(action, visitor, browser)
        do throws(OAuthError) {
            try context.forms.check(
                formToken,
                purpose,
                about: stream,
                browser: visitor.binding,
                at: context.commands.clock.now
            )
        } catch {
            // What an app let this browser in by may lie behind what the page showed.
            if try await hasSignedOut(by: action, formToken, browser) { return true }
            throw error
        }
        let request = context.noted(visitor.command(by: browser), of: browser)
        let owner = visitor.subject
        let kept = action == .endOthers ? try await sessionsHere(of: visitor, browser) : []
        do throws(StoreError) {
            switch action {
            case .endSession(let id):
                _ = try await sessions.end(id, of: owner, request: request)
                return id == visitor.session
            case .endOthers:
                _ = try await sessions.endAll(of: owner, but: kept, request: request)
            case .removeKey(let kid):
                _ = try await keys.remove(kid, of: owner, .user, request: request)
            case .withdrawConsent(let client):
                _ = try await consents.withdraw(
                    from: client,
                    of: owner,
                    by: .user,
                    request: request
                )
                return client == visitor.client
            }
            return false
        } catch { throw OAuthError(error) }
    }

    /// The `sid` that a query or a form names.
    ///
    /// - Throws: a page 400 for what is none.
    package static func session(_ text: [UInt8]) throws(OAuthError) -> SessionID {
        guard let id = SessionID(text: text) else {
            throw OAuthError(.invalidRequest, "the session is not valid", refusal: "SE-002")
        }
        return id
    }

    /// The client that a form names.
    ///
    /// - Throws: a page 400 for a name that none can have.
    package static func client(_ text: [UInt8]) throws(OAuthError) -> ClientID {
        guard let id = ClientID(text) else {
            throw OAuthError(.invalidRequest, "the client is not valid", refusal: "SE-003")
        }
        return id
    }
}
