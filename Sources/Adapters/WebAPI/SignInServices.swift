package import Issuing

/// The use cases behind the routes that a browser visits, and what those share.
package struct SignInServices: Sendable {
    package let context: SignInContext
    package let authorize: Authorize
    package let links: RequestLoginLink
    package let completion: CompleteLogin
    package let waiting: AwaitLogin
    package let endSession: EndSession
    package let limits: RequestLimits
    /// Kept apart from requests: long polls get their own deadline.
    package let pause: any Pause
    let account: AccountSettings
    let urls: OpenPreAuthenticatedURL
    let appSessions: OpenAppSession
    let pushes: PushRequest
    let cancel: CancelLogin
    let continuation: ContinueSignIn
    let approval: ApproveLoginLink
    let pages: SignInPages
    let references: SealedReferences
    let scripts: PageScripts

    package init(
        context: SignInContext,
        signer: any TokenSigner,
        links: RequestLoginLink,
        hints: any StreamHints,
        pause: any Pause,
        limits: RequestLimits,
        turns: (any LookTurns)? = nil,
        proofs: DPoPProofs? = nil
    ) {
        self.context = context
        self.links = links
        self.limits = limits
        self.pause = pause
        authorize = Authorize(context, signer: signer)
        completion = CompleteLogin(context, endSession: EndBrowserSession(context))
        waiting = AwaitLogin(context, hints: hints, pause: pause, turns: turns)
        endSession = EndSession(context, signer: signer)
        account = AccountSettings(context)
        urls = OpenPreAuthenticatedURL(context, signer: signer)
        appSessions = OpenAppSession(context, signer: signer)
        pushes = PushRequest(context, signer: signer)
        cancel = CancelLogin(context)
        continuation = ContinueSignIn(context)
        approval = ApproveLoginLink(context, proofs: proofs)
        pages = SignInPages(context)
        references = SealedReferences(context.digester)
        scripts = PageScripts(digester: context.digester)
    }
}
