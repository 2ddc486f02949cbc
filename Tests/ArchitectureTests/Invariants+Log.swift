/// The rest of the table.
extension Invariant {
    /// The log, what is made of it, and what of it others see.
    static let log = [
        Invariant(
            id: "I10",
            proofs: [
                .simulator, .mutant("relay-cursor-before-delivery"),
                .test(
                    "IntegrationTests/Relay/RelayFaultTests.swift",
                    "every event once by number and in order, under kill -9"
                ),
                .test(
                    "IntegrationTests/Relay/RelayTests.swift",
                    "publishes nothing above the fence, and all of it below"
                ),
                .run("Torture/run"),
            ]
        ),
        Invariant(
            id: "I11",
            proofs: [
                .simulator, .mutant("projection-forgets-logout"),
                .test(
                    "IntegrationTests/Projector/ProjectorTests.swift",
                    "the read model is that of the log, whoever is killed"
                ),
                .test(
                    "IntegrationTests/Projector/ProjectorTests.swift",
                    "a rebuild gives the same rows byte for byte, "
                        + "and the projector goes on with them"
                ),
            ]
        ),
        Invariant(
            id: "I12",
            proofs: [
                .simulator, .mutant("a-hint-is-believed"),
                .test(
                    "IntegrationTests/EventStore/HintTests.swift",
                    "a hint at what a node knows already is no news to it"
                ),
                .test(
                    "PublishingTests/ProjectorTests.swift",
                    "everything again, in any order of runs, changes nothing"
                ),
            ]
        ),
        Invariant(
            id: "I13",
            proofs: [
                .test(
                    "EventFormatTests/PublishedFormTests.swift",
                    "nothing marked stored, digest or sealed leaves"
                ),
                .test(
                    "IntegrationTests/Stores/ErasureTests.swift",
                    "no byte of a user can be read any more, and everybody else's stay"
                ),
                .run("Torture/proofs.py"),
            ]
        ),
        Invariant(
            id: "I17",
            proofs: [
                .simulator,
                .test(
                    "IntegrationTests/Proofs/RightsTests.swift",
                    "each login may run exactly what its work needs"
                ),
                .test(
                    "IntegrationTests/EventStore/EventStoreTests.swift",
                    "chains the hashes of a stream as the design says"
                ),
            ]
        ),
        Invariant(
            id: "I23",
            proofs: [
                .test(
                    "EventFormatTests/PublishedFormTests.swift",
                    "who did it: kind and id, name, or kind alone"
                ),
                .test(
                    "EventFormatTests/PayloadTests.swift",
                    "an event of somebody needs the column that says whose"
                ),
                .test(
                    "ArchitectureTests/CoverageTests.swift",
                    "every refusal is explained in Errors.md, and nothing else is"
                ),
            ]
        ),
    ]

    /// What the wire shows to who asks, in good faith or not.
    static let outside = [
        Invariant(
            id: "I15",
            proofs: [
                .test(
                    "IssuingTests/SignInMailTests.swift",
                    "known, unknown, disabled and mail-limited addresses take the same steps"
                ),
                .test(
                    "WebAPITests/BiometricTests.swift",
                    "wrong key, unknown kid, disabled key: one answer"
                ),
                .test(
                    "WebAPITests/LoginLinkRouteTests.swift",
                    "unknown, altered and foreign links are one answer"
                ),
            ]
        ),
        Invariant(
            id: "I16",
            proofs: [
                .simulator,
                .test(
                    "ConformanceTests/FrozenDatabaseTests.swift",
                    "is told within a second, also by what revokes; forgotten when it moves again"
                ),
                .test(
                    "HTTPServerTests/BoundTests.swift",
                    "beyond the bytes of bodies there is 503; they come back"
                ),
            ]
        ),
        Invariant(
            id: "I18",
            proofs: [
                .test(
                    "WebAPITests/LoginLinkRouteTests.swift",
                    "GET and HEAD of the link and its page change nothing"
                ),
                .test("WebAPITests/SignInPageTests.swift", "HEAD and OPTIONS change nothing"),
                .test("WebAPITests/PreAuthenticatedURLTests.swift", "HEAD changes nothing"),
            ]
        ),
        Invariant(
            id: "I19",
            proofs: [
                .test(
                    "FuzzTests/CorpusTests.swift",
                    "no kept input breaks a parser's promise"
                ),
                .test(
                    "HTTPServerTests/GrammarTests.swift",
                    "every row has one answer, wherever its bytes are cut"
                ),
                .test(
                    "WebAPITests/BadInputTests.swift",
                    "answers as the contract says and changes nothing"
                ),
                .test(
                    "PropertyTests/EventFormatProperties.swift",
                    "damaged are refused or mean something, and never trap"
                ),
                .run("Fuzz/run"),
            ]
        ),
        Invariant(
            id: "I20",
            proofs: [
                .test("OAuthTests/JSONReaderTests.swift", "findsMembersByBytes"),
                .test("DomainTests/ValueTests.swift", "digests are 32 bytes, compared whole"),
            ]
        ),
        Invariant(
            id: "I21",
            proofs: [
                .mutant("code-for-any-redirect"),
                .test("IssuingTests/SignInRequestTests.swift", "steps 1 to 4 answer with a page"),
                .test(
                    "WebAPITests/ChangedConfigurationTests.swift",
                    "a URL whose address is no longer the client's opens nothing, "
                        + "and a page says so"
                ),
            ]
        ),
        Invariant(
            id: "I22",
            proofs: [
                .simulator, .mutant("stale-refusal"),
                .test(
                    "WebAPITests/BiometricTests.swift",
                    "a used or expired challenge is not permanent, so not invalid_grant"
                ),
            ]
        ),
        Invariant(
            id: "I24",
            proofs: [
                .test("DomainTests/SigningKeyRingTests.swift", "rotates"),
                .test(
                    "WebAPITests/DocumentRouteTests.swift",
                    "staged, current and previous keys are published, "
                        + "removed and compromised ones not"
                ),
                .test(
                    "SigningTests/TokenVerifierTests.swift",
                    "a key that was taken out of the ring is known: its tokens are refused at once"
                ),
            ]
        ),
    ]
}
