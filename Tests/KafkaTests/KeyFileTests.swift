import Foundation
import Kafka
import Runtime
import TestSupport
import Testing

/// The key of the certificate that brokers are shown (Security 10).
@Suite(
    "The key for the brokers",
    .enabled(if: BrokerPairs.areAvailable, "needs the openssl program")
)
struct KeyFileTests {
    /// Why no client is made with the pair `own`, or with another key; nil when one is.
    private static func error(of files: BrokerPairs, key: String? = nil) -> KafkaError? {
        let settings = KafkaClientSettings(
            bootstrapServers: "127.0.0.1:1",
            clientID: "tests",
            security: .tls(
                authorities: files.certificate,
                certificate: files.certificate,
                key: key ?? files.key
            )
        )
        do throws(KafkaError) {
            _ = try Administration(settings, on: BlockingExecutor(threads: 1))
            return nil
        } catch { return error }
    }

    private static func refusal(of files: BrokerPairs) -> String? {
        error(of: files).map { "\($0)" }
    }

    @Test("is taken from a file of its owner's alone, whenever a client is made") func owned()
        throws
    {
        let files = try BrokerPairs()
        defer { files.remove() }
        #expect(Self.refusal(of: files) == nil)
        try files.protect(files.key, 0o640)
        #expect(Self.refusal(of: files)?.contains("own.key: others may read or write it") == true)
        try files.protect(files.key, 0o600)
        #expect(Self.refusal(of: files) == nil)
        try FileManager.default.moveItem(atPath: files.key, toPath: "\(files.folder)/real.key")
        #expect(Self.refusal(of: files)?.contains("own.key: there is no such file") == true)
        try FileManager.default.createSymbolicLink(
            atPath: files.key,
            withDestinationPath: "\(files.folder)/real.key"
        )
        #expect(Self.refusal(of: files)?.contains("own.key: it is a symbolic link") == true)
    }

    @Test("is the one that stands there then, and belongs to the certificate") func renewed() throws
    {
        let files = try BrokerPairs()
        defer { files.remove() }
        #expect(Self.refusal(of: files) == nil)
        for end in ["key", "pem"] {
            let (own, other) = ("\(files.folder)/own.\(end)", "\(files.folder)/other.\(end)")
            try FileManager.default.removeItem(atPath: own)
            try FileManager.default.moveItem(atPath: other, toPath: own)
            // The key of the one and the certificate of the other are no pair.
            #expect((Self.refusal(of: files) == nil) == (end == "pem"))
        }
    }

    @Test(
        "is not left out where its file holds none",
        arguments: [
            ("", "it holds no key"), ("\0", "it holds no key"), ("word\n", "ssl.key.pem failed"),
        ]
    )
    func empty(_ content: String, _ problem: String) throws {
        let files = try BrokerPairs()
        defer { files.remove() }
        try Data(content.utf8).write(to: URL(fileURLWithPath: files.key))
        try files.protect(files.key, 0o600)
        let refusal = try #require(Self.refusal(of: files))
        #expect(refusal.contains(problem), "\(refusal)")
    }

    @Test("is refused where it is longer than any key") func long() throws {
        let files = try BrokerPairs()
        defer { files.remove() }
        let content = Data(repeating: 0x41, count: KafkaClientSettings.keyBytesMax + 1)
        try content.write(to: URL(fileURLWithPath: files.key))
        try files.protect(files.key, 0o600)
        let refusal = try #require(Self.refusal(of: files))
        #expect(refusal.contains("it is longer than 65536 bytes"), "\(refusal)")
    }

    @Test("is asked for again where the system could not read it") func passing() throws {
        let files = try BrokerPairs()
        defer { files.remove() }
        // A file of ours alone, whose first page is an input/output error, as on a disk that is
        // away.
        let error = try #require(Self.error(of: files, key: "/proc/self/mem"))
        guard case .unavailable = error else {
            Issue.record("\(error)")
            return
        }
        #expect(error.mayPass)
    }
}
