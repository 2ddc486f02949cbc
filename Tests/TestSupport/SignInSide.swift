package import Domain
package import InMemory
package import Issuing

/// The browser side on twins in memory: one project, clients of each policy, no user yet.
package struct SignInSide: Sendable {
    package let store = InMemoryEventStore()
    package let clock = SettableClock()
    package let entropy = SeededEntropy()
    package let digester: any Digester
    package let signer = StandInSigner()
    package let sealer = InMemorySealer()
    package let windows = InMemoryWindows()
    package let contexts = InMemoryContextLog()
    package let mailQueue: InMemoryMailQueue
    package let projects: InMemoryProjects
    package let commands: CommandRunner
    package let context: SignInContext

    package static let address = "ada@example.com"
    package static let state = "a state with spaces & signs"
    /// Of 32 zero bytes.
    package static let challenge = String(repeating: "A", count: 43)

    /// - Throws: when a fixture is malformed.
    package init(
        signup: ProjectSettings.Signup = .open,
        digester: any Digester = StandInDigester()
    ) async throws {
        self.digester = digester
        var settings = try ProjectSettings(
            id: Fixture.some(ProjectID("bank")),
            name: "Example Bank",
            publicOrigin: "https://auth.example.com",
            hosts: ["auth.example.com"],
            clients: Self.clients()
        )
        settings.resources = [.init(uri: "https://api.example.com", scopes: ["payments.read"])]
        settings.signup = signup
        let number = try Fixture.some(ProjectNumber(1))
        let names = StreamNames(digester)
        let project = Project(
            number: number,
            settings: settings,
            digest: digester.sha256([]),
            configuration: StreamGuard(stream: names.projectConfig(number), version: 0),
            keys: SigningKeyRing.State(),
            keysStream: names.signingKeys(of: number),
            keysVersion: 0
        )
        projects = InMemoryProjects([project])
        mailQueue = InMemoryMailQueue(clock: clock)
        commands = CommandRunner(
            store: store,
            projects: projects,
            clock: clock,
            entropy: entropy,
            names: StreamNames(digester),
            pause: clock
        )
        context = SignInContext(
            commands: commands,
            digester: digester,
            sealer: sealer,
            contexts: contexts
        )
    }

    /// Another node, which reads and writes through `store` and knows `projects`.
    package func context(
        over store: (any EventStore)? = nil,
        projects: (any ProjectDirectory)? = nil
    ) -> SignInContext {
        SignInContext(
            commands: CommandRunner(
                store: store ?? self.store,
                projects: projects ?? self.projects,
                clock: clock,
                entropy: entropy,
                names: StreamNames(digester),
                pause: clock
            ),
            digester: digester,
            sealer: sealer,
            contexts: contexts
        )
    }

    private static func clients() throws -> [ClientSettings] {
        let scope = try Fixture.some(Scope("openid offline_access email payments.read"))
        func client(_ id: String, _ type: ClientSettings.ApplicationType) throws -> ClientSettings {
            var client = ClientSettings(
                id: try Fixture.some(ClientID(id)),
                name: "Client \(id)",
                applicationType: type
            )
            client.allowedScopes = scope
            client.redirectURIs = [try Fixture.some(RedirectURI(redirectURI(of: id)))]
            client.postLogoutRedirectURIs = [
                try Fixture.some(RedirectURI("https://\(id).example.com/bye"))
            ]
            return client
        }
        var native = try client("app", .native)
        for other in ["http://127.0.0.1/callback", "com.example.app:/callback"] {
            native.redirectURIs.append(try Fixture.some(RedirectURI(other)))
        }
        var confirming = try client("confirming", .spa)
        confirming.loginLinkMode = .confirm
        var denying = try client("denying", .spa)
        denying.loginLinkMode = .deny
        var disabled = try client("disabled", .spa)
        disabled.enabled = false
        return [
            try client("web", .traditionalWebapp), native, confirming, denying, disabled,
            try client("server", .confidential), try client("third", .thirdPartyApp),
            try client("service", .m2m),
        ]
    }

    package static func redirectURI(of client: String) -> String {
        "https://\(client).example.com/callback"
    }

    package var project: Project { projects.all[0] }

    /// Of the form of the page about the account.
    package func formToken(
        _ id: StreamID,
        for purpose: FormTokens.Purpose,
        _ browser: BrowserRequest
    ) async throws -> [UInt8] {
        try Fixture.some(try await pages.account(id, for: purpose, browser)).formToken
    }

    /// Replaces the settings, as an applied configuration would.
    package func reconfigure(_ change: (inout ProjectSettings) -> Void) {
        projects.replace(changed(project.configuration, change))
    }

    /// Whether the settings are of a document before the one in force.
    package var isBehind: Bool {
        get { project.isBehind }
        nonmutating set { projects.replace(changed(project.configuration, isBehind: newValue)) }
    }

    /// Whether an operator has suspended the project.
    package var isSuspended: Bool {
        get { project.isSuspended }
        nonmutating set { projects.replace(changed(project.configuration, isSuspended: newValue)) }
    }

    /// Puts other settings in force in the log, which this node has not heard of yet.
    package func reconfigureElsewhere(_ change: (inout ProjectSettings) -> Void) async throws {
        let now = project.configuration
        let applied = ProjectConfig.Applied(
            id: project.settings.id,
            digest: project.digest,
            document: [0]
        )
        let request = CommandRequest(
            project: project,
            attributes: EventAttributes(actor: .system),
            deadline: Fixture.noDeadline
        )
        try await commands.run(request, on: now.stream) {
            (work: inout Work) async throws(CommandError<ProjectConfig.Rejection>) in
            var config: Loaded<ProjectConfig>
            do throws(StoreError) {
                config = try await work.load(ProjectConfig.self, now.stream)
            } catch {
                throw .store(error)
            }
            do throws(ProjectConfig.Rejection) {
                try work.decide(.apply(applied, expected: nil, changed: []), on: &config)
            } catch { throw .refused(error) }
        }
        let place = StreamGuard(stream: now.stream, version: now.version + 1)
        projects.replaceLater(changed(place, change))
    }

    private func changed(
        _ place: StreamGuard,
        isSuspended: Bool = false,
        isBehind: Bool = false,
        _ change: (inout ProjectSettings) -> Void = { _ in }
    ) -> Project {
        let old = project
        var settings = old.settings
        change(&settings)
        return Project(
            number: old.number,
            settings: settings,
            digest: old.digest,
            configuration: place,
            isSuspended: isSuspended,
            isBehind: isBehind,
            keys: old.keys,
            keysStream: old.keysStream,
            keysVersion: old.keysVersion
        )
    }
}

extension SignInSide {
    package var authorize: Authorize { Authorize(context, signer: signer) }

    package var links: RequestLoginLink { links(at: context) }

    /// Those of a node that mails at other limits, counts elsewhere or has a mail queue of its own.
    package func links(
        at node: SignInContext? = nil,
        limits: MailLimits = MailLimits(),
        windows: InMemoryWindows? = nil,
        mailQueue: (any MailQueue)? = nil
    ) -> RequestLoginLink {
        RequestLoginLink(
            node ?? context,
            budget: budget(limits: limits, windows: windows),
            mailQueue: mailQueue ?? self.mailQueue,
            mailIsDue: {}
        )
    }

    package func budget(
        limits: MailLimits = MailLimits(),
        windows: InMemoryWindows? = nil
    ) -> MailBudget {
        MailBudget(windows: windows ?? self.windows, digester: digester, limits: limits)
    }

    package var ending: EndBrowserSession { EndBrowserSession(context) }
    package var completion: CompleteLogin { CompleteLogin(context, endSession: ending) }
    package var approval: ApproveLoginLink { ApproveLoginLink(context) }
    package var pages: SignInPages { SignInPages(context) }

    package var mails: MailDispatch {
        MailDispatch(context, mailQueue: mailQueue, sender: mailQueue)
    }
}
