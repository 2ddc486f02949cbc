import Testing

/// What must hold whoever attacks (Security.md), and what proves it.
struct Invariant: Sendable, CustomTestStringConvertible {
    /// Something that fails when the invariant does not hold.
    enum Proof: Hashable, Sendable {
        /// The file of a test below `Tests`, and the test's name.
        case test(String, String)
        /// The simulator asks for it under this number, after every step and answer.
        case simulator
        /// A deliberate defect that the simulator must find.
        case mutant(String)
        /// A file below `Tests` that a stage of the check runs.
        case run(String)
    }

    var id: String
    var proofs: [Proof]

    var testDescription: String { id }
}

extension Invariant {
    static let all: [Invariant] = issuing + log + outside

    /// What is issued, to whom, and for how long.
    private static let issuing = [
        Invariant(
            id: "I1",
            proofs: [
                .simulator, .mutant("challenge-used-again"), .mutant("url-opened-again"),
                .test(
                    "IntegrationTests/EventStore/EventStoreTests.swift",
                    "50 commands on 2 nodes want the same version: one gets it"
                ),
                .test(
                    "WebAPITests/BiometricTests.swift",
                    "of fifty that send one login at once one gets tokens"
                ),
            ]
        ),
        Invariant(
            id: "I2",
            proofs: [
                .simulator, .mutant("code-for-any-client"), .mutant("refresh-for-any-client"),
                .test(
                    "IssuingTests/OtherProjectTests.swift",
                    "its token endpoint takes no code and no refresh token, and burns none"
                ),
                .run("ConformanceTests/Grants/authorization-code-bindings.http"),
            ]
        ),
        Invariant(
            id: "I3",
            proofs: [
                .simulator,
                .test(
                    "WebAPITests/DeviceKeyTests.swift",
                    "at a renewal the same key is nothing new, another one is final"
                ),
                .test(
                    "WebAPITests/App2AppTests.swift",
                    "of two keys that are bound at once one wins"
                ),
            ]
        ),
        Invariant(
            id: "I4",
            proofs: [
                .simulator, .mutant("revoked-token-active"), .mutant("stale-liveness"),
                .test(
                    "IntegrationTests/Proofs/OrderProofTests.swift",
                    "grants that race with revocations: none is in after the session's end"
                ),
            ]
        ),
        Invariant(
            id: "I5",
            proofs: [
                .simulator, .mutant("grace-ignored"),
                .test(
                    "IssuingTests/RefreshTokenGrantTests.swift",
                    "a retry inside the grace gets the byte-identical successor"
                ),
                .test(
                    "PropertyTests/RefreshChainProperties.swift",
                    "one unused leaf, whoever presents what, when and where"
                ),
            ]
        ),
        Invariant(
            id: "I6",
            proofs: [
                .simulator, .mutant("secret-unchecked"),
                .test(
                    "IssuingTests/RefreshTokenGrantTests.swift",
                    "a token that was never issued changes nothing"
                ),
                .run("ConformanceTests/Routes/made-up-ids.http"),
            ]
        ),
        Invariant(
            id: "I7",
            proofs: [
                .simulator, .mutant("scope-grows"),
                .test(
                    "WebAPITests/App2AppRuleTests.swift",
                    "scopes are cut to owner, target and wish"
                ),
                .test("PropertyTests/ScopeProperties.swift", "meet within both, join over both"),
            ]
        ),
        Invariant(
            id: "I8",
            proofs: [
                .simulator, .mutant("session-outlived"),
                .test(
                    "IssuingTests/AuthorizationCodeGrantTests.swift",
                    "no access token outlives a session that lives shorter (I8)"
                ),
            ]
        ),
        Invariant(
            id: "I9",
            proofs: [
                .simulator, .mutant("guards-dropped"), .mutant("suspended-project-grants"),
                .test(
                    "IntegrationTests/EventStore/GuardTests.swift",
                    "a guard holds: nothing is appended when the guarded stream has moved"
                ),
            ]
        ),
        Invariant(
            id: "I14",
            proofs: [
                .simulator, .mutant("wrong-number-approves"),
                .mutant("approval-counts-anywhere"),
                .test(
                    "WebAPITests/LoginLinkRouteTests.swift",
                    "confirm shows what is approved, takes the right number, "
                        + "and ends at a wrong one"
                ),
                .test(
                    "IssuingTests/SignInLinkTests.swift",
                    "another device approves what names client and device, and only its link"
                ),
            ]
        ),
    ]
}
