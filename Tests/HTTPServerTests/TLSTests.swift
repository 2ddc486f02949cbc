import Foundation
import HTTPServer
import Runtime
import Testing

@Suite("TLS", .enabled(if: Processes.find("openssl") != nil, "needs the openssl program"))
struct TLSTests {
    /// A directory with a self-signed certificate for `localhost`, and its settings.
    struct Files {
        let directory: String
        var settings: TLSSettings {
            TLSSettings(certificateFile: directory + "/cert.pem", keyFile: directory + "/key.pem")
        }

        init(name: String = "localhost") throws {
            directory = NSTemporaryDirectory() + "tls-\(UUID().uuidString)"
            try FileManager.default.createDirectory(
                atPath: directory,
                withIntermediateDirectories: true
            )
            try make(name)
        }

        func make(_ name: String, days: Int = 1) throws {
            let end = try TLSTests.openssl([
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
                "-days", "\(days)", "-subj", "/CN=\(name)", "-keyout", directory + "/key.pem",
                "-out", directory + "/cert.pem",
            ])
            #expect(end.status == 0)
            unsafe chmod(directory + "/key.pem", 0o600)
        }

        func remove() { try? FileManager.default.removeItem(atPath: directory) }
    }

    private static func openssl(
        _ arguments: [String],
        input: String = ""
    ) throws -> (status: Int32, output: String) {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: Processes.find("openssl") ?? "")
        process.arguments = arguments
        let (stdin, stdout) = (Pipe(), Pipe())
        process.standardInput = stdin
        process.standardOutput = stdout
        process.standardError = stdout
        try process.run()
        stdin.fileHandleForWriting.write(Data(input.utf8))
        if input.isEmpty { stdin.fileHandleForWriting.closeFile() }
        let output = stdout.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: output, as: UTF8.self))
    }

    /// Runs on a thread of its own: the program blocks.
    private func client(
        _ server: TestServer,
        _ options: [String],
        _ request: String = "GET /where HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
    ) async throws -> String {
        let address = "\(server.addresses[0])"
        return try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread {
                continuation.resume(
                    with: Result {
                        try Self.openssl(
                            ["s_client", "-connect", address, "-ign_eof"] + options,
                            input: request
                        ).output
                    }
                )
            }
        }
    }

    @Test("TLS 1.2 and 1.3 serve, over http/1.1", arguments: ["-tls1_2", "-tls1_3"])
    func serves(_ version: String) async throws {
        let files = try Files()
        defer { files.remove() }
        let server = try TestServer(tls: files.settings)
        let output = try await client(server, [version, "-alpn", "h2,http/1.1"])
        #expect(output.contains("HTTP/1.1 200 OK\r\n"))
        #expect(output.contains("ALPN protocol: http/1.1"))
        #expect(!output.contains("session ticket"))
        await server.stop()
    }

    static let refused: [[String]] = [
        ["-tls1_1", "-cipher", "DEFAULT@SECLEVEL=0"], ["-tls1_2", "-cipher", "AES128-SHA"],
        ["-tls1_2", "-cipher", "ECDHE-ECDSA-AES128-SHA256"], ["-tls1_3", "-alpn", "h2"],
    ]
    @Test("old versions, weak ciphers and other protocols are refused", arguments: refused)
    func refuses(_ options: [String]) async throws {
        let files = try Files()
        defer { files.remove() }
        let server = try TestServer(tls: files.settings)
        let output = try await client(server, options)
        #expect(!output.contains("HTTP/1.1"))
        #expect(server.handler.calls.current == 0)
        await server.stop()
    }

    @Test("a large answer crosses many records") func large() async throws {
        let files = try Files()
        defer { files.remove() }
        let server = try TestServer(tls: files.settings)
        let request = "GET /large HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
        let output = try await client(server, ["-tls1_3", "-quiet"], request)
        #expect(output.utf8.count > 20_000_000)
        await server.stop()
    }

    @Test("a silent handshake is cut, plain bytes are refused") func handshake() async throws {
        let files = try Files()
        defer { files.remove() }
        let server = try TestServer(tls: files.settings) { $0.handshakeTime = .milliseconds(150) }
        let silent = try server.client()
        #expect(await silent.receive().ended)
        let plain = try server.client()
        plain.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        let (text, ended) = await plain.receive()
        #expect(ended && !text.hasPrefix("HTTP"))
        #expect(await server.wait { server.server.connectionCount == 0 })
        await server.stop()
    }

    @Test("a reload takes the new certificate; a bad one keeps the old") func reload() async throws
    {
        let files = try Files(name: "first")
        defer { files.remove() }
        let server = try TestServer(tls: files.settings)
        #expect(try await client(server, ["-tls1_3"]).contains("CN = first"))
        try files.make("second")
        try server.server.reload()
        #expect(try await client(server, ["-tls1_3"]).contains("CN = second"))
        unsafe chmod(files.directory + "/key.pem", 0o644)
        #expect(throws: ServerError.self) { try server.server.reload() }
        #expect(try await client(server, ["-tls1_3"]).contains("CN = second"))
        await server.stop()
    }

    @Test("with client authorities, a client without a certificate is refused")
    func mutual() async throws {
        let files = try Files()
        defer { files.remove() }
        var settings = files.settings
        settings.clientAuthoritiesFile = settings.certificateFile
        let server = try TestServer(tls: settings)
        let without = try await client(server, ["-tls1_2"])
        #expect(!without.contains("HTTP/1.1"))
        let with = try await client(
            server,
            ["-tls1_3", "-cert", settings.certificateFile, "-key", settings.keyFile]
        )
        #expect(with.contains("HTTP/1.1 200 OK"))
        // One that nobody vouches for is no better than none.
        let others = try Files(name: "stranger")
        defer { others.remove() }
        let strange = try await client(
            server,
            ["-tls1_3", "-cert", others.settings.certificateFile, "-key", others.settings.keyFile]
        )
        #expect(!strange.contains("HTTP/1.1"))
        await server.stop()
    }

    @Test("a handler learns the SHA-256 of the certificate that the client proved")
    func certificate() async throws {
        let files = try Files()
        defer { files.remove() }
        var settings = files.settings
        let request = "GET /certificate HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
        let shown = ["-cert", settings.certificateFile, "-key", settings.keyFile]
        let indifferent = try TestServer(tls: settings)
        let unasked = try await client(indifferent, ["-quiet"] + shown, request)
        #expect(unasked.contains("Content-Length: 0\r\n"))
        await indifferent.stop()
        settings.clientAuthoritiesFile = settings.certificateFile
        let server = try TestServer(tls: settings)
        let answer = try await client(server, ["-quiet"] + shown, request)
        let printed = try Self.openssl([
            "x509", "-in", settings.certificateFile, "-noout", "-fingerprint", "-sha256",
        ]).output
        let hex = try #require(printed.split(separator: "=").last).split(whereSeparator: {
            $0 == ":" || $0.isNewline
        })
        let wanted = hex.compactMap { UInt8($0, radix: 16) }
        #expect(wanted.count == 32)
        let text = wanted.map { String($0, radix: 16) }.joined(separator: ":")
        #expect(answer.contains(text), "\(answer)")
        await server.stop()
    }

    @Test("a key that does not belong to the certificate is refused at the start")
    func mismatch() async throws {
        let (files, others) = (try Files(), try Files())
        defer {
            files.remove()
            others.remove()
        }
        let settings = TLSSettings(
            certificateFile: files.settings.certificateFile,
            keyFile: others.settings.keyFile
        )
        #expect(throws: ServerError.self) { try TestServer(tls: settings) }
    }
}
