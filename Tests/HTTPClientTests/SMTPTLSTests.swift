import Foundation
import HTTPClient
import Runtime
import Testing

/// `openssl s_server` with a certificate of its own, saying a whole SMTP dialogue to who comes.
private final class TLSRelay {
    let port: UInt16
    private let ports: PortBlock
    let directory: URL
    private let server = Process()

    var certificate: String { directory.appending(path: "cert.pem").path() }

    init(name: String) throws {
        directory = FileManager.default.temporaryDirectory
            .appending(path: "relay-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        let key = directory.appending(path: "key.pem").path()
        let certificate = directory.appending(path: "cert.pem").path()
        let made = try Self.openssl([
            "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
            "-days", "2", "-subj", "/CN=\(name)", "-addext", "subjectAltName=\(name)",
            "-keyout", key, "-out", certificate,
        ])
        made.waitUntilExit()
        try #require(made.terminationStatus == 0)
        ports = try PortBlock.anyFree()
        port = ports.first
        let (dialogue, output) = (Pipe(), Pipe())
        server.executableURL = URL(filePath: "/usr/bin/openssl")
        server.arguments = [
            "s_server", "-accept", "127.0.0.1:\(port)", "-cert", certificate, "-key", key,
            "-naccept", "1",
        ]
        server.standardInput = dialogue
        server.standardOutput = output
        server.standardError = FileHandle.nullDevice
        try server.run()
        // It says ACCEPT when it listens.
        var said = Data()
        while !String(decoding: said, as: UTF8.self).contains("ACCEPT") {
            let more = output.fileHandleForReading.availableData
            try #require(!more.isEmpty, "openssl s_server does not listen")
            said += more
        }
        let replies = "220 relay\r\n250 relay\r\n250 ok\r\n250 ok\r\n354 go\r\n250 taken\r\n"
        dialogue.fileHandleForWriting.write(Data(replies.utf8))
    }

    private static func openssl(_ arguments: [String]) throws -> Process {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/openssl")
        process.arguments = arguments
        process.standardError = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        return process
    }

    deinit {
        server.terminate()
        try? FileManager.default.removeItem(at: directory)
    }
}

@Suite("SMTP over TLS", .timeLimit(.minutes(1))) struct SMTPTLSTests {
    private func send(to relay: TLSRelay, trusting authorities: String?) async throws
        -> SMTPError?
    {
        let settings = try SMTPSettings(
            host: "127.0.0.1",
            port: relay.port,
            protection: .tls,
            authorities: authorities
        )
        let pool = try TransferPool()
        defer { pool.close() }
        do throws(SMTPError) {
            try await SMTPClient(settings, through: pool).send(
                from: Array("a@b.c".utf8),
                to: Array("a@b.c".utf8),
                message: Array("Subject: x\r\n\r\nx\r\n".utf8),
                deadline: .now().advanced(by: .seconds(30))
            )
            return nil
        } catch { return error }
    }

    @Test("a certificate of a trusted authority for this host is good") func trusted()
        async throws
    {
        let relay = try TLSRelay(name: "IP:127.0.0.1")
        #expect(try await send(to: relay, trusting: relay.certificate) == nil)
    }

    @Test("a certificate nobody vouches for ends it, nothing is sent") func unknownAuthority()
        async throws
    {
        let relay = try TLSRelay(name: "IP:127.0.0.1")
        #expect(try await send(to: relay, trusting: nil) == .transient(code: 0))
    }

    @Test("a certificate for another host ends it") func otherHost() async throws {
        let relay = try TLSRelay(name: "DNS:relay.example.com")
        let error = try await send(to: relay, trusting: relay.certificate)
        #expect(error == .transient(code: 0))
    }
}
