import Domain
import EventFormat
import InMemory
import Issuing
import OAuth
import Runtime
import Signing

/// One project, one session, and everything that never changes from run to run.
struct World {
    struct Malformed: Error {}

    static let now = Instant(milliseconds: 1_795_232_554_473)
    static let grantEvents = 64
    static let deadline = Deadline(nanoseconds: .max)
    static let deviceScope =
        "openid offline_access device_sso https://authgear.com/scopes/pre-authenticated-url"

    /// What all processes of one count share.
    let folder: String
    let entropy = SeededEntropy()
    let digester: RootDigester
    let projects: InMemoryProjects
    let clock = SettableClock(now)
    let client: ClientID
    let scope: Scope
    let subject: SubjectID
    let browser: SessionID
    let grant: SessionID
    /// Another session, which has a device secret.
    let device: SessionID
    let project: Project
    let signer: JWTSigner
    let sealer: EnvelopeSealer
    /// The user's address under the user's key.
    let email: Sealed
    /// The newest token of the session, and the state and events it is the end of.
    let token: RefreshToken
    let grantState: OfflineGrant.State
    let events: [OfflineGrant.Event]

    /// Keys in `folder`: made once, so that every process counts with the same.
    init(_ folder: String) async throws {
        self.folder = folder
        client = try Self.some(ClientID("app"))
        scope = try Self.some(Scope("offline_access"))
        subject = SubjectID(.permanent(at: Self.now, from: entropy))
        browser = SessionID(.timeOrdered(at: Self.now, from: entropy))
        grant = SessionID(.timeOrdered(at: Self.now, from: entropy))
        device = SessionID(.timeOrdered(at: Self.now, from: entropy))
        let isNew = (try? FileReading.names(inDirectory: folder)) == nil
        if isNew {
            try FileWriting.makeDirectory(folder)
            try FileWriting.replace("\(folder)/kek", with: [UInt8](repeating: 7, count: 32))
        }
        let directory = try KeyDirectory.make(
            at: "\(folder)/keys",
            unlockedBy: .credential(path: "\(folder)/kek")
        )
        digester = RootDigester(try directory.rootSecrets())
        let vault = SigningKeyVault(directory, on: BlockingExecutor())
        let ring = try Self.ring(in: folder, isNew: isNew, vault)
        signer = JWTSigner(vault)
        project = try Self.project(client, scope, ring, StreamNames(digester))
        projects = InMemoryProjects([project])
        let encryption = try KeyEncryptionKey(.credential(path: "\(folder)/kek"), salt: [])
        sealer = EnvelopeSealer(encryption, KeptKey())
        let key = try await sealer.key(subject.stream, of: project.number, by: Self.deadline)
        let place = SealedPlace(stream: subject.stream, member: "email")
        email = key.seal(Array("ann@example.com".utf8), as: place)
        (token, grantState, events) = try Self.history(
            of: grant,
            subject,
            browser,
            client,
            scope,
            digester
        )
    }

    static func some<Value>(_ value: Value?) throws -> Value {
        guard let value else { throw Malformed() }
        return value
    }

    private static func ring(
        in folder: String,
        isNew: Bool,
        _ vault: SigningKeyVault
    ) throws -> SigningKeyRing.State {
        let (kidFile, keyFile) = ("\(folder)/kid", "\(folder)/jwk")
        if isNew {
            let key = try vault.generateNow(.es256)
            try FileWriting.replace(kidFile, with: Array(key.kid.utf8))
            try FileWriting.replace(keyFile, with: key.publicKey)
        }
        let kid = try FileReading.bytes(at: kidFile, bytesMax: 1024)
        let ring = SigningKeyRing.State(keys: [
            SigningKeyRing.Key(
                kid: String(decoding: kid, as: UTF8.self),
                algorithm: .es256,
                publicKey: try FileReading.bytes(at: keyFile, bytesMax: 4096),
                status: .current,
                stagedAt: now
            )
        ])
        guard vault.loadNow(ring).isEmpty else { throw Malformed() }
        return ring
    }

    private static func project(
        _ client: ClientID,
        _ scope: Scope,
        _ ring: SigningKeyRing.State,
        _ names: StreamNames
    ) throws -> Project {
        var app = ClientSettings(id: client, name: "App", applicationType: .native)
        app.allowedScopes = try some(Scope(deviceScope))
        app.grantTypes += BiometricRequestGrant.names
        app.biometric = ClientSettings.Biometric()
        app.preAuthenticatedURL = ClientSettings.PreAuthenticatedURL()
        app.redirectURIs = [try some(RedirectURI("com.example.app:/cb"))]
        app.defaultResources = ["https://api.example.com"]
        var offers = try ClientSettings(
            id: some(ClientID("offers")),
            name: "Offers",
            applicationType: .traditionalWebapp
        )
        offers.allowedScopes = app.allowedScopes
        offers.grantTypes += TokenExchangeGrant.names
        offers.preAuthenticatedURL = ClientSettings.PreAuthenticatedURL()
        var settings = try ProjectSettings(
            id: some(ProjectID("bank")),
            name: "Example Bank",
            publicOrigin: "https://auth.example.com",
            hosts: ["auth.example.com"],
            clients: [app, offers]
        )
        settings.cookieDomain = "example.com"
        settings.resources = [.init(uri: "https://api.example.com", scopes: ["payments.read"])]
        let number = try some(ProjectNumber(1))
        return Project(
            number: number,
            settings: settings,
            digest: TokenDigest(words: (0, 0, 0, 0)),
            configuration: StreamGuard(stream: names.projectConfig(number), version: 1),
            keys: ring,
            keysStream: names.signingKeys(of: number),
            keysVersion: 1
        )
    }
}
