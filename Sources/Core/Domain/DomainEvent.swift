/// Any event of any aggregate, so that a log can hold them all.
package enum DomainEvent: Hashable, Sendable {
    case subject(Subject.Event)
    case loginID(LoginID.Event)
    case loginLink(LoginLink.Event)
    case authorization(Authorization.Event)
    case browserSession(BrowserSession.Event)
    case authorizationCode(AuthorizationCode.Event)
    case offlineGrant(OfflineGrant.Event)
    case biometricKey(BiometricKey.Event)
    case preAuthenticatedURL(PreAuthenticatedURL.Event)
    case consent(Consent.Event)
    case spent(Spent.Event)
    case signingKey(SigningKeyRing.Event)
    case projectConfig(ProjectConfig.Event)
}
