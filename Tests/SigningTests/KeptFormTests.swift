import Crypto
import Domain
import Issuing
import OAuth
import Runtime
import Testing

import Signing

/// The values were computed by another program (Python's `cryptography`): a change of any of them
/// would leave the keys unread, or the streams unfound, of whoever upgrades.
@Suite("What an installation keeps") struct KeptFormTests {
    /// Current and lookup secret: SHA-256 of "root" and of "lookup"; under the key 0, 1, … 31.
    private static let rootFile = """
        01000102030405060708090a0b0f119f56d69bd42a36e2965e1d421616347cf3\
        fae1fe8b2a6e3910986e1f770028b101a46ef935d8028274c01404900f629031\
        2bd74dee3b0803924ace7611df558d25e35a5f013b27611058325006d3
        """

    let scratch: ScratchKeys
    let digester: RootDigester
    let names: StreamNames
    let project: ProjectNumber
    let subject = SubjectID(StreamID(high: 0x018f_0000_0000_8000, low: 0x8000_0000_0000_0007))
    let command = StreamID(high: 0x018f_0000_0000_8000, low: 0x8000_0000_0000_0008)
    let thumbprint = Thumbprint(digest: TokenDigest(words: SHA256.words(Array("key".utf8))))
    let time = Instant(milliseconds: 1_700_000_000_000)

    init() throws {
        scratch = try ScratchKeys(Array(0..<32))
        let file = try #require(Hexadecimal.decode(Array(Self.rootFile.utf8)))
        try FileWriting.replace("\(scratch.root)/keys/root.key", with: file)
        digester = RootDigester(try scratch.directory.rootSecrets())
        names = StreamNames(digester)
        project = try #require(ProjectNumber(258))
    }

    @Test(
        "root.key and the key of each label",
        arguments: [
            (KeyLabel.lookup, "e6f527dc260e5b2ff9e63f4fa0e6680e64fd52be690961afde1f4223d0ffcf99"),
            (KeyLabel.refresh, "32aae95e4311ec62e792b5b72fa1b9bccddf298dc85584488bcc792285e575fa"),
            (
                KeyLabel.loginLink,
                "f0d4d0a2434a1bd140fa4527cd1d32c8a7c343d536513bb401552889b1e96827"
            ),
            (KeyLabel.form, "df30906005df9d6d39c33a53a36e2897b3217661dcbf8c7d7cb4dc49f65342d2"),
            (KeyLabel.cursor, "97576af08c3cf9d57f11326e446ca5c3866803fc5b50d46e6c098011aaa5d0d8"),
            (
                KeyLabel.reference,
                "8a1fc584d18cb1c172158b56ae259d9e451eca07275e981a6e28e901afc41bae"
            ),
            (KeyLabel.snapshot, "998f1d863633be5066522faa79775ab053a751305245c5936f1fd2009bd596d3"),
            (
                KeyLabel.challenge,
                "54c30513f0ff276d4f0b0f2de00b07d14d6d61e13377c29c7037eb483600adf4"
            ),
            (
                KeyLabel.appSession,
                "378db474fc5378d2a7992e4560e965edf072074407ad027f93fc8bb70de7219b"
            ),
            (
                KeyLabel.dpopNonce,
                "36c739c6a71b6822ff2571aff1dae8cb438b7824814a5ba5bcc957d40cd72ce1"
            ),
            (
                KeyLabel.pushedCode,
                "8bf8b0b13f354dd3fa31d3b5065b90abf039e246d87cba592be3275fe0855b59"
            ),
            (
                KeyLabel.deviceSecret,
                "e6d58b1e2f445440605f00a69b7d34452656e2d5264141d0ce5c167c00a3b6d0"
            ),
            (
                KeyLabel.deviceSecretHash,
                "ccfc1bd712f8ffa9d814d8b53796531713f8df6dec0ed506f7f900a04d1fc0b1"
            ),
        ]
    )
    func labels(_ label: KeyLabel, _ expected: String) {
        #expect(Hexadecimal.text(digester.mac(label, Array("abc".utf8)).bytes) == expected)
    }

    @Test("every label has its row above") func everyLabel() {
        #expect(KeyLabel.allCases.count == 13)
    }

    @Test("names that lead to a stream, or to a lock") func keyedNames() throws {
        let email = try #require(EmailAddress("a@example.com".utf8))
        let shop = try #require(ClientID("shop"))
        let rows = [
            (names.loginID(email, in: project), "ea4ec7eb-1e66-816d-a7ae-bfb2f24279dc"),
            (names.consent(subject, shop, in: project), "f1a02c61-2f31-8d93-ac25-4f08baf4354c"),
            (names.biometricKey("kid", in: project), "d6ce490d-132e-829e-9667-b0de1442d9d9"),
            (
                names.biometricMaterial(thumbprint, in: project),
                "c31c84ad-bba7-85a7-8c64-5feefb898377"
            ),
            (names.biometricKeys(of: subject, in: project), "d63d5ace-30b2-8b36-a17a-c616ba9cff64"),
            (
                names.correlation(of: CommandID(command), in: project),
                "ea3621a5-43bb-8e7b-b2bd-f534623669b0"
            ),
            (names.signingKeys(of: project), "d17c132c-8c29-8cd6-bb35-b1c6ec1133e9"),
            (names.projectConfig(project), "c7898b54-f273-89c9-853b-99d5652a4312"),
            (names.client(shop, in: project), "d7659a08-e77b-893d-ae00-c3e39e69e12a"),
        ]
        for (name, expected) in rows { #expect("\(name)" == expected) }
    }

    @Test("names of what is spent once") func spentNames() throws {
        let shop = try #require(ClientID("shop"))
        let assertion = VerifiedAssertion(id: Array("jti".utf8), expiresAt: time)
        let body = Array("0123456789abcdef".utf8)
        let proof = names.dpopProof(
            Array("jti".utf8),
            by: thumbprint,
            refusedAfter: time,
            in: project
        )
        let rows = [
            (
                names.clientAssertion(assertion, of: shop, in: project),
                "418bcfe6-5260-8338-8824-20d7afc0de2f"
            ),
            (
                names.challenge(body, expiresAt: time, in: project),
                "418bcfe5-6800-8822-b929-626266a6b8c6"
            ),
            (
                names.appSession(body, expiresAt: time, in: project),
                "418bcfe5-6800-8b30-b5bf-a55f8b25f3f7"
            ),
            (proof, "418bcfe5-6800-8c30-a6d4-c41007e69965"),
        ]
        for (name, expected) in rows { #expect("\(name)" == expected) }
    }

    @Test("a subject's key in the database, and what it has sealed") func sealed() async throws {
        let wrapped = """
            01000102030405060708090a0bee4bc957de1272d476ec5c296a667ae3c8e9af\
            533b22be8f98dbfcedeeac12f026641849c06728583fd0694b3104ec38
            """
        let commitment = "693d8d75a51bdef66521e06a797ef4942111612141826079d12e9083a6306e00"
        let value = """
            01000102030405060708090a0b283bcbea3575d935d160979718a33106d40f26\
            61ec5d2f34e7078bba1c
            """
        let rows = SealingKeyRows()
        let row = WrappedSealingKey(
            id: subject.stream,
            project: project,
            kekVersion: 1,
            wrapped: Hexadecimal.decode(Array(wrapped.utf8)),
            commitment: try #require(Hexadecimal.decode(Array(commitment.utf8)))
        )
        rows.rows.withLock { $0[row.id] = row }
        let deadline = Deadline(nanoseconds: .max)
        let sealer = EnvelopeSealer(scratch.directory.encryption, rows)
        let key = try #require(try await sealer.existingKey(subject.stream, by: deadline))
        let bytes = try #require(Hexadecimal.decode(Array(value.utf8)))
        let place = SealedPlace(stream: command, member: "email")
        #expect(key.open(Sealed(bytes: bytes), at: place) == Array("a@example.com".utf8))
    }
}
