/// Every grant type Chancery offers, made in one place from the ports they stand on.
///
/// A new grant type is a file in `Grants/` and a line in `types`.
package struct AllGrants: Sendable {
    private let commands: CommandRunner
    private let signer: any TokenSigner
    private let digester: any Digester
    private let reader: any ClientJWTReader
    private let memory: any ProofMemory
    private let pace: any LoginPace
    private let sealer: any Sealer
    private let mailQueue: any MailQueue
    private let mailIsDue: @Sendable () -> Void

    /// `mailIsDue` is called after a commit, so that the sender need not wait for its next look.
    package init(
        commands: CommandRunner,
        signer: any TokenSigner,
        digester: any Digester,
        reader: any ClientJWTReader,
        memory: any ProofMemory,
        pace: any LoginPace,
        sealer: any Sealer,
        mailQueue: any MailQueue,
        mailIsDue: @escaping @Sendable () -> Void
    ) {
        self.sealer = sealer
        self.mailQueue = mailQueue
        self.mailIsDue = mailIsDue
        self.commands = commands
        self.signer = signer
        self.digester = digester
        self.reader = reader
        self.memory = memory
        self.pace = pace
    }

    /// The token endpoint that offers them.
    package var endpoint: TokenEndpoint { TokenEndpoint(types, proofs: proofs, signer: signer) }

    /// In the order of the metadata.
    private var types: [any GrantType] {
        let issuance = TokenIssuance(signer)
        let devices = DeviceProofs(reader: reader, challenges: challenges)
        return [
            AuthorizationCodeGrant(
                commands: commands,
                issuance: issuance,
                digester: digester,
                devices: devices,
                sealer: sealer
            ),
            RefreshTokenGrant(commands: commands, issuance: issuance, digester: digester),
            ClientCredentialsGrant(commands: commands, signer: signer),
            App2AppGrant(commands: commands, digester: digester, devices: devices),
            BiometricRequestGrant(
                commands: commands,
                issuance: issuance,
                digester: digester,
                devices: devices,
                access: access,
                pace: pace,
                sealer: sealer,
                mailQueue: mailQueue,
                mailIsDue: mailIsDue
            ),
            TokenExchangeGrant(
                commands: commands,
                issuance: issuance,
                signer: signer,
                digester: digester
            ),
            IDTokenGrant(commands: commands, signer: signer, digester: digester, access: access),
        ]
    }

    /// Tokens for browsers, which a refresh token gives like a grant does.
    package var appSessionTokens: IssueAppSessionToken {
        IssueAppSessionToken(
            commands: commands,
            digester: digester,
            proofs: proofs,
            memory: memory
        )
    }

    package var access: AccessProofs {
        AccessProofs(
            verifier: TokenVerifier(signer, projects: commands.projects),
            proofs: proofs,
            memory: memory,
            clock: commands.clock
        )
    }

    package var proofs: DPoPProofs {
        DPoPProofs(reader: reader, digester: digester, clock: commands.clock)
    }

    package var challenges: Challenges {
        Challenges(digester: digester, clock: commands.clock, entropy: commands.entropy)
    }
}
