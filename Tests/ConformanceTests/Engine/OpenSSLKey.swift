import Foundation

/// An RSA key of a size that `Crypto` makes none of, from the `openssl` command.
final class OpenSSLKey: Sendable {
    private static let program = "/usr/bin/openssl"

    private let file: URL
    let modulus: [UInt8]

    init(bits: Int) throws {
        file = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).pem")
        // A product of several primes is found sooner, and no other public key.
        let primes = bits > 4096 ? ["-primes", "4"] : []
        _ = try Self.run(["genrsa", "-out", file.path] + primes + ["\(bits)"])
        let said = try Self.run(["rsa", "-in", file.path, "-noout", "-modulus"])
        let digits = String(decoding: said, as: UTF8.self).dropFirst("Modulus=".count)
            .filter { !$0.isWhitespace }
        modulus = stride(from: 0, to: digits.count, by: 2).compactMap { place in
            UInt8(digits.dropFirst(place).prefix(2), radix: 16)
        }
    }

    deinit { try? FileManager.default.removeItem(at: file) }

    /// RS256 (RFC 7518 section 3.3).
    func sign(_ message: [UInt8]) throws -> [UInt8] {
        try Self.run(["dgst", "-sha256", "-binary", "-sign", file.path], on: message)
    }

    private static func run(_ arguments: [String], on input: [UInt8] = []) throws -> [UInt8] {
        let openssl = Process()
        openssl.executableURL = URL(filePath: program)
        openssl.arguments = arguments
        let (incoming, outgoing) = (Pipe(), Pipe())
        openssl.standardInput = incoming
        openssl.standardOutput = outgoing
        openssl.standardError = FileHandle.nullDevice
        try openssl.run()
        try incoming.fileHandleForWriting.write(contentsOf: Data(input))
        try incoming.fileHandleForWriting.close()
        let output = try outgoing.fileHandleForReading.readToEnd() ?? Data()
        openssl.waitUntilExit()
        guard openssl.terminationStatus == 0 else {
            throw SignIn.Failed(description: "openssl refused: \(arguments)")
        }
        return Array(output)
    }
}
