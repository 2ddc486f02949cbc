import Domain
import HTTPServer
import InMemory
import Issuing
import OAuth
import TestSupport
import Testing

/// The mail that says a key was added (Security 4.4, decision 0065).
@Suite("Mails about biometric keys") struct BiometricMailTests {
    private static let pixel =
        #"{"android":{"Build":{"MANUFACTURER":"Google","MODEL":"Pixel 8"},"#
        + #""ApplicationInfoLabel":"Example App"}}"#

    private static func user(_ kid: String = "kid-0001", _ web: WebSide? = nil) async throws
        -> BiometricTests.User
    {
        let web = if let web { web } else { try await WebSide() }
        return try await BiometricTests.User(web, kid: kid, registered: false)
    }

    @Test("the user hears once which app and which phone, and the key list says so, too")
    func told() async throws {
        let user = try await Self.user()
        let info = try JSONReader.read(Array(Self.pixel.utf8))
        let jwt = try user.jwt("setup") { $0.setting("device_info", info) }
        #expect(try await user.setUp(jwt).status == 200)
        try await user.web.sendMails()
        let mails = user.web.side.mailQueue.sentAboutKeys
        #expect(mails.count == 1)
        let mail = try #require(mails.first)
        #expect(String(decoding: mail.to.bytes, as: UTF8.self) == TokenSide.address)
        #expect(mail.projectName == "Example Bank" && mail.clientName == "App")
        #expect(mail.device == "Google Pixel 8" && mail.application == "Example App")
        #expect(mail.settingsLink == "https://auth.example.com/settings")
        #expect(mail.addedAt == user.web.side.clock.now)
        #expect(user.web.side.mailQueue.due.isEmpty)
        try await user.web.sendMails()
        #expect(user.web.side.mailQueue.sentAboutKeys.count == 1)
        let list = try await user.web.send(
            .get,
            "/api/v1/biometric_keys",
            headers: ["authorization": "Bearer \(user.accessToken)"]
        )
        let key = try #require(list["result"]?["biometric_keys"]?.array?.first)
        #expect(key["device"]?.string == "Google Pixel 8")
    }

    @Test("the phone may also be named in x_device_info, or not at all") func otherNames()
        async throws
    {
        let web = try await WebSide()
        let text = String(decoding: Base64URL.encode(Array(Self.pixel.utf8)), as: UTF8.self)
        let named = try await Self.user("kid-0001", web)
        let jwt = try named.jwt("setup")
        #expect(try await named.setUp("\(jwt)&x_device_info=\(text)").status == 200)
        let nameless = try await Self.user("kid-0002", web)
        #expect(try await nameless.setUp(nameless.jwt("setup")).status == 200)
        try await web.sendMails()
        let devices = web.side.mailQueue.sentAboutKeys.map(\.device)
        #expect(devices == ["Google Pixel 8", nil])
    }

    @Test("attack: a setup sent again, or under a name or with a key in use, has no mail sent")
    func repeated() async throws {
        let user = try await Self.user()
        let jwt = try user.jwt("setup")
        #expect(try await user.setUp(jwt).status == 200)
        try await user.web.sendMails()
        let sameName = try await Self.user("kid-0001", user.web)
        let renamed = user.phone.header(BiometricTests.type).setting("kid", "kid-0002")
        let payload = DeviceKeyTests.payload(user.web, .biometric).setting("action", "setup")
        for again in [
            jwt, try user.jwt("setup"), try sameName.jwt("setup"),
            try user.phone.jwt(renamed, payload),
        ] {
            #expect(try await user.setUp(again).error == "invalid_request")
            try await user.web.sendMails()
        }
        #expect(user.web.side.mailQueue.sentAboutKeys.count == 1)
        #expect(user.web.side.mailQueue.due.isEmpty)
    }

    @Test("a setup that is refused queues nothing") func refused() async throws {
        let user = try await Self.user()
        let foreign = try user.jwt("setup", by: Phone().key)
        #expect(try await user.setUp(foreign).error == "invalid_request")
        #expect(user.web.side.mailQueue.due.isEmpty)
    }

    @Test("attack: another key over a challenge that was used leaves no row") func usedChallenge()
        async throws
    {
        let user = try await Self.user()
        let payload = DeviceKeyTests.payload(user.web, .biometric).setting("action", "setup")
        func jwt(_ phone: Phone, _ kid: String) throws -> String {
            try phone.jwt(phone.header(BiometricTests.type).setting("kid", .string(kid)), payload)
        }
        #expect(try await user.setUp(jwt(user.phone, "kid-0001")).status == 200)
        try await user.web.sendMails()
        #expect(try await user.setUp(jwt(Phone(), "kid-0002")).error == "invalid_request")
        #expect(user.web.side.mailQueue.due.isEmpty)
    }

    @Test("attack: fifty setups of one name at once: one key, one mail, and no row stays")
    func race() async throws {
        let web = try await WebSide()
        var rivals: [BiometricTests.User] = []
        for _ in 0..<50 { rivals.append(try await Self.user("kid-0001", web)) }
        let statuses = await withTaskGroup(of: Int.self) { group in
            for rival in rivals {
                group.addTask {
                    (try? await rival.setUp(rival.jwt("setup")).status) ?? 0
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(statuses.filter { $0 == 200 }.count == 1)
        for _ in 0..<4 { try await web.sendMails() }
        #expect(web.side.mailQueue.sentAboutKeys.count == 1)
        #expect(web.side.mailQueue.due.isEmpty)
    }

    @Test("the row of a setup that lost is dropped, and one whose append never came, too")
    func lost() async throws {
        let user = try await Self.user()
        #expect(try await user.setUp(user.jwt("setup")).status == 200)
        try await user.web.sendMails()
        let side = user.web.side
        let names = StreamNames(side.digester)
        for kid in [user.kid, "kid-0002"] {
            let occasion = MailOccasion.biometricKey(
                names.biometricKey(kid, in: side.project.number),
                mail: Sample.stream(0x77)
            )
            try await side.mailQueue.enqueue(
                occasion,
                project: side.project.number,
                by: Fixture.noDeadline
            )
        }
        try await user.web.sendMails()
        #expect(side.mailQueue.due.count == 1)
        side.clock.advance(seconds: 61)
        try await user.web.sendMails()
        #expect(side.mailQueue.due.isEmpty && side.mailQueue.sentAboutKeys.count == 1)
    }

    @Test("a relay that fails holds no setup up; the mail is tried five times in all")
    func relay() async throws {
        let user = try await Self.user()
        let mailQueue = user.web.side.mailQueue
        mailQueue.fail(.transient(code: 451))
        #expect(try await user.setUp(user.jwt("setup")).status == 200)
        for _ in 0..<4 { try await user.web.sendMails() }
        #expect(mailQueue.due.map(\.attempts) == [4])
        mailQueue.fail(nil)
        try await user.web.sendMails()
        #expect(mailQueue.sentAboutKeys.count == 1 && mailQueue.due.isEmpty)
        let other = try await Self.user("kid-0002", user.web)
        mailQueue.fail(.transient(code: 451))
        #expect(try await other.setUp(other.jwt("setup")).status == 200)
        for _ in 0..<5 { try await user.web.sendMails() }
        #expect(mailQueue.sentAboutKeys.count == 1 && mailQueue.due.isEmpty)
    }

    @Test("a key that was removed at once is told of all the same; a disabled user hears nothing")
    func afterwards() async throws {
        let user = try await Self.user()
        let side = user.web.side
        #expect(try await user.setUp(user.jwt("setup")).status == 200)
        let stream = StreamNames(side.digester).biometricKey(user.kid, in: side.project.number)
        try await side.run(BiometricKey.self, stream) { .disable(.user) }
        try await user.web.sendMails()
        #expect(side.mailQueue.sentAboutKeys.count == 1)
        let other = try await Self.user("kid-0002", user.web)
        #expect(try await other.setUp(other.jwt("setup")).status == 200)
        try await side.run(Subject.self, side.subject.stream) { .disable(.operator) }
        try await user.web.sendMails()
        #expect(side.mailQueue.sentAboutKeys.count == 1 && side.mailQueue.due.isEmpty)
    }
}
