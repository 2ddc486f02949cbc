extension ClientSettings {
    /// How an app lets other apps in (`x_app2app_*`, WireContract 3.2).
    package struct App2App: Hashable, Sendable {
        /// A session without device key may bind one until then; nil: never.
        package var insecureBindingUntil: Instant?
        /// Only a biometric key approves.
        package var biometricRequired: Bool
        /// Nil: any other first-party public client of the project.
        package var targets: [ClientID]?
        /// The end of its session ends those it approved.
        package var cascades: Bool
        /// What an approval is for must be in the signed JWT.
        package var isStrict: Bool

        package init(
            insecureBindingUntil: Instant? = nil,
            biometricRequired: Bool = false,
            targets: [ClientID]? = nil,
            cascades: Bool = false,
            isStrict: Bool = false
        ) {
            self.insecureBindingUntil = insecureBindingUntil
            self.biometricRequired = biometricRequired
            self.targets = targets
            self.cascades = cascades
            self.isStrict = isStrict
        }

        /// Whether `owner` may approve `target` by these its rules (WireContract 5.4 step 7).
        ///
        /// Never itself: the guest would be its own session once more, on whatever device, beyond
        /// the end of the one that let it in (decision 0170).
        package func allows(_ target: ClientSettings, by owner: ClientSettings) -> Bool {
            guard target.authenticationMethod == .none, target.id != owner.id else { return false }
            guard let targets else { return target.applicationType.isFirstParty }
            return targets.contains(target.id)
        }
    }

    /// Biometric keys of an app (`x_biometric_*`).
    package struct Biometric: Hashable, Sendable {
        /// The oldest login that may set one up; 0: any.
        package var setupMaxAgeSeconds: Int64

        package init(setupMaxAgeSeconds: Int64 = 300) {
            self.setupMaxAgeSeconds = setupMaxAgeSeconds
        }
    }

    /// A client that opens pre-authenticated URLs, or is opened by them.
    package struct PreAuthenticatedURL: Hashable, Sendable {
        /// Where its URLs may lead, beside its redirect URIs: origins in their one spelling.
        package var allowedOrigins: [String]

        package init(allowedOrigins: [String] = []) { self.allowedOrigins = allowedOrigins }
    }

    /// What proofs of possession do for a client (RFC 9449; WireContract 6.4).
    package enum DPoP: Hashable, Sendable {
        /// A proof binds its refresh tokens.
        case optional
        /// A proof is demanded and binds the access tokens, too (`dpop_bound_access_tokens`).
        case bound
        /// The header is not read (`x_dpop_disabled`).
        case disabled
    }

    /// Whether apps may open its pages by pre-authenticated URLs: a web client's
    /// (WireContract 5.7); of a native one the same setting says that it may ask for them.
    package var opensURLs: Bool { preAuthenticatedURL != nil && applicationType != .native }

    /// Whether this client may join sessions that `first` opened (WireContract 5.6 step 6).
    package func shares(sessionsOf first: ClientSettings) -> Bool {
        guard let nativeSSOGroup, let group = first.nativeSSOGroup else { return false }
        return nativeSSOGroup.utf8.elementsEqual(group.utf8)
    }
}
