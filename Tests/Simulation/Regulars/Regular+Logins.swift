import Domain
import InMemory
import Issuing
import OAuth

// A login by a link that was mailed to an address which is known but for the first time (7.1 to
// 7.5); perhaps given up, or refused by who reads the mail.
extension Regular {
    private enum Way { case through, again, refused, canceled }

    /// `prompt`: `login` where the login of this browser must not count.
    func logIn(prompt: String? = nil) async -> Bool {
        let heard = await authorize(Self.own, prompt: prompt)
        guard case .login(let id) = heard.page else {
            if heard.code != nil, prompt != nil {
                installation.checks.broken("I2", "a login counted though another was asked for")
            }
            return false
        }
        let until = world.nanoseconds + 600_000_000_000
        let approval = drawApproval()
        let way: Way =
            switch dice.draw(10) {
            case 0: .refused
            case 1: .canceled
            case 2: .again
            default: .through
            }
        guard await enterAddress(id), var link = await mail() else { return false }
        var isOver = false
        switch way {
        case .through: break
        case .again: link = await resend(id, link, approval)
        case .refused: isOver = await refuse(link)
        case .canceled: isOver = await cancel(id)
        }
        let isApproved = await approve(link, of: id, approval)
        // Where not each mail is known of, it may be the link of a login before this one.
        if isApproved, isOver, isClear {
            installation.checks.broken("I14", "a link was approved whose login was given up")
        }
        guard isApproved || isOver else { return false }
        return await complete(id, until: until, isOver: isOver, approval)
    }

    // MARK: - Steps

    private func enterAddress(_ id: StreamID) async -> Bool {
        let address = Array(address.utf8)
        let budget = MailBudget(
            windows: installation.windows,
            digester: installation.digester,
            limits: MailLimits().multiplied(by: 100)
        )
        let mailQueue = installation.mailQueue
        for _ in 0..<4 {
            let heard = await page { node, browser throws(OAuthError) in
                guard let shown = try await SignInPages(node.signIn).login(id, browser) else {
                    return Heard(.unknown)
                }
                let links = RequestLoginLink(
                    node.signIn,
                    budget: budget,
                    mailQueue: mailQueue,
                    mailIsDue: {}
                )
                let posted = SignInContext.Posted(request: id, token: shown.formToken)
                do throws(RequestLoginLink.Refusal) {
                    return Heard(try await links.request(posted, address: address, browser))
                } catch {
                    guard case .page(let error) = error else { return Heard(.unknown) }
                    throw error
                }
            }
            if case .waiting = heard.page { return true }
            isClear = false
        }
        return false
    }

    /// The token in the newest mail, once there is one that was not there before.
    private func mail() async -> [UInt8]? {
        if let token = await clients.mail(to: address, besides: read) {
            read.append(token)
            return token
        }
        isClear = false
        return nil
    }

    /// The newer link, once its mail is there: then the older one is dead.
    private func resend(_ id: StreamID, _ link: [UInt8], _ approval: Approval?) async -> [UInt8] {
        await world.sleep(milliseconds: 61_000, on: clients.process)
        let budget = MailBudget(
            windows: installation.windows,
            digester: installation.digester,
            limits: MailLimits().multiplied(by: 100)
        )
        let mailQueue = installation.mailQueue
        let heard = await page { node, browser throws(OAuthError) in
            let shown = try await SignInPages(node.signIn).waiting(id, browser)
            let links = RequestLoginLink(
                node.signIn,
                budget: budget,
                mailQueue: mailQueue,
                mailIsDue: {}
            )
            let posted = SignInContext.Posted(request: id, token: shown.resendToken)
            return Heard(try await links.resend(posted, browser))
        }
        if case .waiting = heard.page {} else { isClear = false }
        guard let newer = await mail() else { return link }
        if await approve(link, of: id, approval), isClear {
            installation.checks.broken("I2", "a link was approved that a newer mail has replaced")
        }
        return newer
    }

    /// By a button in a browser, this one or another; nil: by an app that is on its device.
    private func approve(_ link: [UInt8], of id: StreamID, _ approval: Approval?) async -> Bool {
        let heard = await page { node, browser throws(OAuthError) in
            var approving = browser
            var number: Int?
            switch approval {
            case .tap, .number:
                // Another device has no cookie of this one, and the number from its page at most.
                (approving.transactions, approving.session) = ([], nil)
                let shown = try? await SignInPages(node.signIn).waiting(id, browser)
                number = shown?.number
            case .here, .unrecorded, nil: break
            }
            do throws(ApproveLoginLink.Refusal) {
                try await ApproveLoginLink(node.signIn).approve(
                    ApproveLoginLink.Presented(token: link, client: nil),
                    by: approval == nil ? .native : .browser,
                    number: number,
                    approving
                )
                return Heard(.done)
            } catch {
                if case .failed = error { return Heard(.unknown) }
                return Heard(.refused(.accessDenied))
            }
        }
        return heard.answer == .passed
    }

    /// "It was not me": true once somebody has said that it is noted.
    private func refuse(_ link: [UInt8]) async -> Bool {
        let heard = await page { node, browser throws(OAuthError) in
            do throws(ApproveLoginLink.Refusal) {
                let presented = ApproveLoginLink.Presented(token: link, client: nil)
                try await ApproveLoginLink(node.signIn).deny(presented, browser)
                return Heard(.done)
            } catch { return Heard(.unknown) }
        }
        if heard.answer != .passed { isClear = false }
        return heard.answer == .passed
    }

    private func cancel(_ id: StreamID) async -> Bool {
        let heard = await page { node, browser throws(OAuthError) in
            let shown = try await SignInPages(node.signIn).waiting(id, browser)
            let posted = SignInContext.Posted(request: id, token: shown.frame.cancelToken)
            return Heard(try await CancelLogin(node.signIn).cancel(posted, browser))
        }
        if case .refused(.accessDenied) = heard.page { return true }
        isClear = false
        return false
    }

    private func complete(
        _ id: StreamID,
        until: UInt64,
        isOver: Bool,
        _ approval: Approval?
    ) async -> Bool {
        var plan = Deed.Plan(isOver ? .givenUpLogin : .login)
        plan.isRight = !isOver
        plan.until = until
        if !isClear { plan.leansOn = [doubt] }
        if !isOver { plan.perhapsEnds = [login?.value, strays].compactMap(\.self) }
        let code = model.artefact("code", seconds: 60, usedError: .invalidGrant)
        plan.gives = Deed.Ending(code: code)
        // What an app approved is a tap to the browser that waits.
        let approval = approval ?? .tap
        let approved = model.thing("approved login")
        plan.login = Deed.Login(thing: approved, source: .approved(approval))
        for _ in 0..<3 {
            let number = model.begin(plan)
            let heard = await page { node, browser throws(OAuthError) in
                let token = try await SignInPages(node.signIn).waiting(id, browser).completeToken
                let posted = SignInContext.Posted(request: id, token: token)
                let ending = EndBrowserSession(node.signIn)
                let completion = CompleteLogin(node.signIn, endSession: ending)
                return Heard(try await completion.complete(posted, browser))
            }
            model.end(number, heard.answer, code: heard.code)
            guard let text = heard.code else {
                guard case .unknown = heard.page else { return false }
                hasStrayed = true
                continue
            }
            let session = take(heard.session, approved, approval)
            await redeem(text, code, as: Self.own, by: session)
            return true
        }
        return false
    }

    /// The login that came with a code; nil where its cookie was lost on the way.
    private func take(_ cookie: OpaqueToken?, _ approved: Thing, _ approval: Approval) -> Thing? {
        let before = login
        if let before { forget(before) }
        guard let cookie else { return nil }
        let isSame = before?.cookie.stream == cookie.stream
        let session = (isSame ? before?.session : nil) ?? model.thing("browser's login")
        let value = model.thing("cookie", in: [session] + (hasStrayed ? [strays] : []))
        login = Login(
            session: session,
            value: value,
            approved: approved,
            approval: approval,
            cookie: cookie
        )
        return session
    }
}
