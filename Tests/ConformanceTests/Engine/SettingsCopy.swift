import Foundation
import TestSupport

/// The settings of a running stack's issuer, in a file of a test's own that it may change.
struct SettingsCopy: Sendable {
    /// As the stack has them.
    let original: String
    let path: String

    /// Writes nothing yet.
    init(of stack: RunningStack, named name: String) throws {
        original = try String(
            contentsOfFile: "\(IssuerProcess.folder(of: stack))/config/token-issuer.yaml",
            encoding: .utf8
        )
        path =
            FileManager.default.temporaryDirectory
            .appending(path: "\(name)-\(UUID().uuidString.prefix(8)).yaml").path
    }

    func write(_ text: String) throws { try Data(text.utf8).write(to: URL(filePath: path)) }

    func remove() { try? FileManager.default.removeItem(atPath: path) }
}
