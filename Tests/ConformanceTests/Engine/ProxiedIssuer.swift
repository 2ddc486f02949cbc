import Foundation
import TestSupport

/// One more token-issuer, behind a proxy that is the test: `X-Forwarded-For` says who calls.
struct ProxiedIssuer: Sendable {
    /// Of an operator beside the stack's own; this one may read.
    static let secondToken = "the-token-of-a-second-operator"
    /// SHA-256 of it.
    private static let digest = "c03120c79f085c496452f799172130ab0ec0e91ff53c0d2ad946ab7eade425cf"

    let process: IssuerProcess
    private let settings: String
    private let file: URL

    /// `limits`: what stands in `rate_limits`.
    init(beside stack: RunningStack, named name: String, limits: String = "") async throws {
        let folder = IssuerProcess.folder(of: stack)
        let own = try String(contentsOfFile: "\(folder)/config/token-issuer.yaml", encoding: .utf8)
        let proxy = "  trusted_proxies: [\"127.0.0.1\"]\n"
        let second = "    - {name: second, role: read, token_sha256: \(Self.digest)}\n"
        settings = own.replacing("listen:\n", with: "listen:\n\(proxy)")
            .replacing("operators:\n", with: "operators:\n\(second)")
        file = FileManager.default.temporaryDirectory
            .appending(path: "\(name)-\(UUID().uuidString.prefix(8)).yaml")
        try Self.write(settings, limits, to: file)
        process = try await IssuerProcess(beside: stack, named: name, settings: file.path)
    }

    /// Has it read other limits; what it has counted stays counted.
    func take(limits: String) async throws {
        let before = reloads
        try Self.write(settings, limits, to: file)
        process.signal(SIGHUP)
        try await Waiting.until("it has read its limits") { reloads > before }
    }

    /// Asks it to end, and waits for that.
    func end() {
        process.stop()
        try? FileManager.default.removeItem(at: file)
    }

    private var reloads: Int { process.said.components(separatedBy: "\"reloaded\"").count }

    private static func write(_ settings: String, _ limits: String, to file: URL) throws {
        try Data("\(settings)\nrate_limits: {\(limits)}\n".utf8).write(to: file)
    }
}

extension WireRequest {
    /// The same from another address, as a proxy says.
    func from(_ address: String) -> Self {
        var request = self
        request.headers.append((name: "X-Forwarded-For", value: address))
        return request
    }
}
