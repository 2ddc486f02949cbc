import Foundation
import Runtime
import Testing

/// A folder with two certificates and their keys, as a process shows one to the brokers.
///
/// Needs the openssl program.
package struct BrokerPairs: Sendable {
    /// Whether they can be made here.
    package static let areAvailable = Processes.find("openssl") != nil

    /// Has `own.pem` and `own.key`, `other.pem` and `other.key`.
    package let folder: String
    /// Where the certificate of the pair `own` is, which is its own authority.
    package var certificate: String { "\(folder)/own.pem" }
    /// Where the key of the pair `own` is.
    package var key: String { "\(folder)/own.key" }

    /// Makes both; each key is its owner's alone.
    package init() throws {
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

    /// Sets the rights of a file.
    package func protect(_ path: String, _ mode: Int) throws {
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
    }

    /// Removes the folder.
    package func remove() { try? FileManager.default.removeItem(atPath: folder) }
}
