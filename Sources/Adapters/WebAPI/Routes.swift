package import Issuing
package import Runtime

/// The list of routes, and what they call; every route is here once.
package enum Routes {
    /// The use cases and tables behind the routes of the token side.
    package struct TokenSide: Sendable {
        package var clients: ClientAuthentication
        package var endpoint: TokenEndpoint
        package var revocation: Revocation
        package var introspection: Introspection
        package var userInfo: UserInfo
        package var challenges: Challenges
        package var userAccess: UserAccess
        package var biometricKeys: BiometricKeys
        package var sessions: UserSessions
        package var signer: any TokenSigner
        package var clock: any WallClock
        package var snapshots: ProjectSnapshots
        package var limits: RequestLimits
        package var metrics: Metrics

        package init(
            clients: ClientAuthentication,
            endpoint: TokenEndpoint,
            revocation: Revocation,
            introspection: Introspection,
            userInfo: UserInfo,
            challenges: Challenges,
            userAccess: UserAccess,
            biometricKeys: BiometricKeys,
            sessions: UserSessions,
            signer: any TokenSigner,
            clock: any WallClock,
            snapshots: ProjectSnapshots,
            limits: RequestLimits,
            metrics: Metrics
        ) {
            self.clients = clients
            self.endpoint = endpoint
            self.revocation = revocation
            self.introspection = introspection
            self.userInfo = userInfo
            self.challenges = challenges
            self.userAccess = userAccess
            self.biometricKeys = biometricKeys
            self.sessions = sessions
            self.signer = signer
            self.clock = clock
            self.snapshots = snapshots
            self.limits = limits
            self.metrics = metrics
        }
    }

    /// What programs call on the public listener.
    package static func tokenSide(_ services: TokenSide) -> [any Route] {
        let gate = UserGate(access: services.userAccess, limits: services.limits)
        return [
            DiscoveryRoute(snapshots: services.snapshots),
            JWKSRoute(snapshots: services.snapshots),
            AppleLinkFileRoute(snapshots: services.snapshots),
            AndroidLinkFileRoute(snapshots: services.snapshots),
            TokenRoute(
                clients: services.clients,
                endpoint: services.endpoint,
                limits: services.limits,
                metrics: services.metrics
            ),
            RevocationRoute(
                clients: services.clients,
                revocation: services.revocation,
                limits: services.limits
            ),
            IntrospectionRoute(
                clients: services.clients,
                introspection: services.introspection,
                signer: services.signer,
                clock: services.clock,
                limits: services.limits
            ),
            UserInfoRoute(userInfo: services.userInfo, limits: services.limits),
            ChallengeRoute(challenges: services.challenges, limits: services.limits),
            SessionsRoute(gate: gate, sessions: services.sessions),
            RevokeOthersRoute(gate: gate, sessions: services.sessions),
            SessionRoute(gate: gate, sessions: services.sessions),
            BiometricKeysRoute(gate: gate, keys: services.biometricKeys),
            BiometricKeyRoute(gate: gate, keys: services.biometricKeys),
        ]
    }

    /// What people's browsers visit on the public listener.
    package static func signIn(_ services: SignInServices) -> [any Route] {
        [
            AuthorizeRoute(services),
            LoginRoute(services),
            LoginWaitRoute(services),
            LoginStatusRoute(services),
            LoginResendRoute(services),
            LoginCompleteRoute(services),
            LoginCancelRoute(services),
            ContinueRoute(services),
            ConsentRoute(services),
            ClientLinkRoute(services),
            App2AppLinkRoute(services),
            VerifyLoginLinkRoute(services),
            EndSessionRoute(services),
            LogoutRoute(services),
            SettingsRoute(services),
            SettingsElsewhereRoute(services),
            AssetRoute(),
        ]
    }

    /// What apps call before they send a browser.
    package static func aheadOfBrowsers(
        _ services: SignInServices,
        clients: ClientAuthentication,
        grants: AllGrants
    ) -> [any Route] {
        [
            PushedRequestRoute(services, clients: clients, proofs: grants.proofs),
            AppSessionTokenRoute(tokens: grants.appSessionTokens, limits: services.limits),
        ]
    }

    /// What operators call on the admin listener of a token-issuer.
    package static func admin(
        directory: any ProjectDirectory,
        projects: ProjectAdministration,
        history: ProjectHistory,
        keys: KeyAdministration,
        subjects: SubjectAdministration,
        sessions: SessionList,
        devices: DeviceAdministration,
        consents: ConsentAdministration
    ) -> [any AdminRoute] {
        [
            AdminProjectsRoute(directory: directory),
            AdminProjectRoute(administration: projects),
            AdminSuspensionRoute(administration: projects),
            AdminHistoryRoute(history: history),
            AdminKeyListRoute(administration: keys, history: history),
            AdminKeysRoute(administration: keys),
            AdminSessionsRoute(sessions: sessions, devices: devices),
            AdminSessionEndRoute(devices: devices),
            AdminSubjectsRoute(administration: subjects),
            AdminSubjectRoute(administration: subjects),
            AdminBiometricKeysRoute(devices: devices),
            AdminKeyRemovalRoute(devices: devices),
            AdminConsentsRoute(consents: consents),
            AdminConsentWithdrawalRoute(consents: consents),
        ]
    }
}
