import Domain
import InMemory
import Issuing
import OAuth

/// A person who logs in by a link: the browser that asks, and whoever opens the mail.
struct Visitor: Sendable {
    /// What a page answers, as far as it matters.
    enum Answer: Sendable, Hashable {
        case went(StreamID, cookie: [UInt8]?)
        case code([UInt8])
        case waiting, approved, otherDevice, numberRequired, wrongNumber, refused, unknown
    }

    let clients: Clients
    let login: LoginModel
    let client: String
    let address: String
    private var installation: Installation { clients.installation }
    private var world: World { clients.world }

    init(_ clients: Clients, client: String, number: Int) {
        self.clients = clients
        self.client = client
        address = "user\(number)@example.com"
        login = LoginModel(clients.model, client: client)
    }

    /// The whole way: nil when no code came of it.
    func signIn() async -> [UInt8]? {
        guard let (id, cookie) = await start() else { return nil }
        guard await enterAddress(id, cookie), let link = await clients.mail(to: address) else {
            return nil
        }
        if world.dice.strikes(300) { await complete(id, cookie) }
        async let page: Void = waits ? wait(id, cookie) : ()
        if waits { await world.sleep(milliseconds: world.drawReading(), on: clients.process) }
        await approve(link, id, cookie)
        await page
        if world.dice.strikes(200) { await complete(id, Clients.damaged(cookie), isOwn: false) }
        async let one: Void = complete(id, cookie)
        async let two: Void = world.dice.strikes(600) ? complete(id, cookie) : ()
        _ = await (one, two)
        if world.dice.strikes(200) { await approve(link, id, cookie) }
        await complete(id, cookie)
        return login.code
    }

    // MARK: - Steps

    private func start() async -> (StreamID, [UInt8])? {
        let parameters = parameters
        for _ in 0..<5 {
            let answer = await page(nil) { node, browser throws(OAuthError) in
                let authorize = Authorize(node.signIn, signer: node.signer)
                guard let answer = try? await authorize.start(parameters, browser),
                    case .login(let id) = answer.step
                else { return .unknown }
                for case .transaction(let token) in answer.cookies {
                    return .went(id, cookie: token.text)
                }
                return .unknown
            }
            if case .went(let id, let cookie?) = answer { return (id, cookie) }
        }
        return nil
    }

    private func enterAddress(_ id: StreamID, _ cookie: [UInt8]) async -> Bool {
        let address = Array(address.utf8)
        let installation = installation
        for _ in 0..<5 {
            let answer = await page(cookie) { node, browser throws(OAuthError) in
                let pages = SignInPages(node.signIn)
                guard let token = try await pages.login(id, browser)?.formToken else {
                    return .unknown
                }
                let links = RequestLoginLink(
                    node.signIn,
                    budget: MailBudget(
                        windows: installation.windows,
                        digester: installation.digester,
                        limits: MailLimits()
                    ),
                    mailQueue: installation.mailQueue,
                    mailIsDue: {}
                )
                let posted = SignInContext.Posted(request: id, token: token)
                let answer = try? await links.request(posted, address: address, browser)
                return answer == nil ? .unknown : .waiting
            }
            login.asked(answer)
            if answer == .waiting { return true }
        }
        return false
    }

    private func approve(_ token: [UInt8], _ id: StreamID, _ cookie: [UInt8]) async {
        let isSame = world.dice.strikes(400)
        // 0: no number, 1: the right one, 2: a wrong one.
        let choice = world.dice.draw(3)
        let number = login.begin(.approve, isSameDevice: isSame, choice: choice)
        let answer = await page(isSame ? cookie : nil) { node, browser throws(OAuthError) in
            // The waiting page of the browser that asked shows the number.
            var owner = browser
            let digester = node.signIn.digester
            let own = OpaqueToken(.transaction, reading: cookie, digester: digester)
            owner.transactions = own.map { [$0] } ?? []
            let shown = try await SignInPages(node.signIn).waiting(id, owner).number
            let picked = choice == 0 ? nil : shown.map { choice == 1 ? $0 : ($0 + 1) % 100 }
            return await Self.approve(token, number: picked, node, browser)
        }
        login.end(number, answer)
    }

    private static func approve(
        _ token: [UInt8],
        number: Int?,
        _ node: IssuerProcess,
        _ browser: BrowserRequest
    ) async -> Answer {
        do throws(ApproveLoginLink.Refusal) {
            try await ApproveLoginLink(node.signIn).approve(
                ApproveLoginLink.Presented(token: token, client: nil),
                by: .native,
                number: number,
                browser
            )
            return .approved
        } catch {
            switch error {
            case .dead, .denied: return .refused
            case .otherDevice: return .otherDevice
            case .numberRequired: return .numberRequired
            case .wrongNumber: return .wrongNumber
            case .failed: return .unknown
            }
        }
    }

    private func complete(_ id: StreamID, _ cookie: [UInt8], isOwn: Bool = true) async {
        let number = login.begin(.complete, isSameDevice: isOwn, choice: 0)
        let answer = await page(cookie) { node, browser throws(OAuthError) in
            let token = try await SignInPages(node.signIn).waiting(id, browser).completeToken
            let posted = SignInContext.Posted(request: id, token: token)
            let ending = EndBrowserSession(node.signIn)
            let completion = CompleteLogin(node.signIn, endSession: ending)
            switch try await completion.complete(posted, browser).step {
            case .waiting: return .waiting
            case .respond(let response):
                let code = response.parameters.first { $0.name.utf8.elementsEqual("code".utf8) }
                return code.map { .code(Array($0.value.utf8)) } ?? .refused
            case .login, .selectAccount, .consent: return .refused
            }
        }
        login.end(number, answer)
    }

    // MARK: - Requests

    private var parameters: Form {
        let challenge = installation.digester.sha256(Array(Clients.verifier.utf8)).bytes
        let fields = [
            ("client_id", client), ("redirect_uri", Fixtures.redirectURI),
            ("response_type", "code"), ("scope", "openid offline_access"), ("state", "s"),
            ("code_challenge", String(decoding: Base64URL.encode(challenge), as: UTF8.self)),
            ("code_challenge_method", "S256"),
        ]
        return Form(
            fields: fields.map { Form.Field(name: Array($0.0.utf8), value: Array($0.1.utf8)) }
        )
    }

    func page(
        _ cookie: [UInt8]?,
        milliseconds: Int = 3000,
        _ body:
            @escaping @Sendable (IssuerProcess, BrowserRequest) async throws(OAuthError) ->
            Answer
    ) async -> Answer {
        let answer = await clients.ask(installation.anyIssuer()) { node -> Answer in
            guard let project = node.projects.all.first else { return .unknown }
            let digester = node.signIn.digester
            let browser = BrowserRequest(
                project: project,
                deadline: node.clock.deadline(inMilliseconds: milliseconds),
                transactions: [cookie].compactMap {
                    $0.flatMap { OpaqueToken(.transaction, reading: $0, digester: digester) }
                },
                address: NetworkAddress(limitKey: [192, 0, 2, 7], network: "192.0.2.0/24")
            )
            do throws(OAuthError) { return try await body(node, browser) } catch {
                // By a suspension nothing is over, either, where there is one.
                let isSuspended =
                    error.isOfSuspendedProject
                    && installation.checks.suspension.mayHold(before: nil)
                let isToComeAgain = error.code == .temporarilyUnavailable || isSuspended
                return isToComeAgain ? .unknown : .refused
            }
        }
        return answer ?? .unknown
    }
}
