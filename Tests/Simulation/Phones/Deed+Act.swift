extension Deed {
    /// What is asked; the text is what a report calls it.
    enum Act: String, CaseIterable {
        case signIn = "sign-in"
        case refresh, introspection, revocation, app2app, reauthentication
        case otherRevocation = "another client's revocation"
        case secretRevocation = "revocation of a device secret"
        case idToken = "id token"
        case nativeSSO = "native SSO"
        case guestRedemption = "guest's redemption"
        case keySetup = "key setup"
        case biometricLogin = "biometric login"
        case keyRemoval = "key removal"
        case urlExchange = "URL exchange"
        case urlVisit = "visit by URL"
        case push, reload
        case pushedRequest = "pushed request"
        case otherBrowser = "another browser"
        case appSessionToken = "app-session token"
        case ownPages = "opening of own pages"
        case settings
        case settingsSignOut = "sign-out in the settings"
        case settingsOthers = "sign-out elsewhere in the settings"
        case sessionList = "session list"
        case sessionEnd = "end of a session"
        case othersEnd = "end of the other sessions"
        case otherSite = "request of another site"
        case continuePage = "continue page"
        case agreement = "continue"
        case continuedCode = "code of a continued session"
        case disabling, enabling, erasure
        // Of servers that sign.
        case serviceToken = "token of a service"
        case serverSignIn = "sign-in at a server"
        case serverRefresh = "refresh by a server"
        case serverPush = "push by a server"
        case serverIntrospection = "introspection by a server"
        case serverRevocation = "revocation by a server"
        // Of who comes back.
        case unheard = "what nobody knows of"
        case comingBack = "coming back"
        case formerCookie = "coming back with a former cookie"
        case logout, redemption, consent, withdrawal, login
        case partnerVisit = "visit to a partner"
        case consentAfterRefusal = "consent after a refusal"
        case givenUpLogin = "login that was given up"
    }

    /// How an act is drawn; `lax`: by a login that the client does not take.
    enum Form { case right, wrong, lax }

    /// Of what is wrong by itself the login proves nothing.
    var form: Form {
        guard plan.isRight else { return .wrong }
        return isTooLax ? .lax : .right
    }
}

extension Deed.Act {
    /// With everything right, with something wrong, or in more than one form: each is seen in
    /// enough seeds.
    var forms: [Deed.Form] {
        switch self {
        case .signIn, .introspection, .revocation, .otherRevocation, .secretRevocation,
            .reauthentication, .keyRemoval, .push, .reload, .settings, .settingsOthers,
            .sessionList, .othersEnd, .otherSite, .continuePage, .continuedCode, .disabling,
            .enabling, .erasure, .unheard, .comingBack, .logout, .redemption, .consent,
            .withdrawal, .login, .serverSignIn, .serverPush, .serverIntrospection,
            .serverRevocation:
            [.right]
        case .refresh, .idToken, .guestRedemption, .keySetup, .urlVisit, .pushedRequest,
            .appSessionToken, .ownPages, .settingsSignOut, .sessionEnd, .agreement,
            .serviceToken, .serverRefresh:
            [.right, .wrong]
        case .app2app, .nativeSSO, .biometricLogin, .urlExchange, .partnerVisit:
            [.right, .wrong, .lax]
        case .otherBrowser, .formerCookie, .consentAfterRefusal, .givenUpLogin: [.wrong]
        }
    }
}
