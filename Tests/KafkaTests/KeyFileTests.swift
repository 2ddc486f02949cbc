import Foundation
import Kafka
import Runtime
import Testing

/// The key of the certificate that brokers are shown (Security 10).
@Suite(
    "The key for the brokers",
    .enabled(if: Processes.find("openssl") != nil, "needs the openssl program")
)
struct KeyFileTests {
    /// A folder with two certificates and their keys; settings name the pair `own`.
    private struct Files {
        let folder: String
        var key: String { "\(folder)/own.key" }

        init() throws {
            folder = NSTemporaryDirectory() + "kafka-key-\(UUID().uuidString)"
            try FileManager.default.createDirectory(
                atPath: folder,
                withIntermediateDirectories: true
            )
            for name in ["own", "other"] { try make(name) }
        }

        private func make(_ name: String) throws {
            let process = Process()
            process.executableURL = URL(fileURLWithPath: Processes.find("openssl") ?? "")
            process.arguments = [
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
                "-subj", "/CN=\(name)", "-keyout", "\(folder)/\(name).key",
                "-out", "\(folder)/\(name).pem",
            ]
            process.standardError = FileHandle.nullDevice
            try process.run()
            process.waitUntilExit()
            try #require(process.terminationStatus == 0)
            try protect("\(folder)/\(name).key", 0o600)
        }

        func protect(_ path: String, _ mode: Int) throws {
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
        }

        func remove() { try? FileManager.default.removeItem(atPath: folder) }

        /// Why no client is made with them; nil when one is.
        var refusal: String? {
            let settings = KafkaClientSettings(
                bootstrapServers: "127.0.0.1:1",
                clientID: "tests",
                security: .tls(
                    authorities: "\(folder)/own.pem",
                    certificate: "\(folder)/own.pem",
                    key: key
                )
            )
            do throws(KafkaError) {
                _ = try Administration(settings, on: BlockingExecutor(threads: 1))
                return nil
            } catch { return "\(error)" }
        }
    }

    @Test("is taken from a file of its owner's alone, whenever a client is made") func owned()
        throws
    {
        let files = try Files()
        defer { files.remove() }
        #expect(files.refusal == nil)
        try files.protect(files.key, 0o640)
        #expect(files.refusal?.contains("own.key: others may read or write it") == true)
        try files.protect(files.key, 0o600)
        #expect(files.refusal == nil)
        try FileManager.default.moveItem(atPath: files.key, toPath: "\(files.folder)/real.key")
        #expect(files.refusal?.contains("own.key: there is no such file") == true)
        try FileManager.default.createSymbolicLink(
            atPath: files.key,
            withDestinationPath: "\(files.folder)/real.key"
        )
        #expect(files.refusal?.contains("own.key: it is a symbolic link") == true)
    }

    @Test("is the one that stands there then, and belongs to the certificate") func renewed() throws
    {
        let files = try Files()
        defer { files.remove() }
        #expect(files.refusal == nil)
        for end in ["key", "pem"] {
            let (own, other) = ("\(files.folder)/own.\(end)", "\(files.folder)/other.\(end)")
            try FileManager.default.removeItem(atPath: own)
            try FileManager.default.moveItem(atPath: other, toPath: own)
            // The key of the one and the certificate of the other are no pair.
            #expect((files.refusal == nil) == (end == "pem"))
        }
    }

    @Test(
        "is not left out where its file holds none",
        arguments: [
            ("", "it holds no key"), ("\0", "it holds no key"), ("word\n", "ssl.key.pem failed"),
        ]
    )
    func empty(_ content: String, _ problem: String) throws {
        let files = try Files()
        defer { files.remove() }
        try Data(content.utf8).write(to: URL(fileURLWithPath: files.key))
        try files.protect(files.key, 0o600)
        let refusal = try #require(files.refusal)
        #expect(refusal.contains(problem), "\(refusal)")
    }
}
