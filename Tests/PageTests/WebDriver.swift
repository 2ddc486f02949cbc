import Foundation
import Runtime
import TestSupport

/// A chromedriver process, spoken to by the WebDriver protocol (W3C WebDriver section 5).
final class WebDriver: Sendable {
    struct Failure: Error, CustomStringConvertible {
        var description: String

        /// The page went on between two commands, or while one was carried out: chromedriver has
        /// an error of its own for the first, and passes the browser's words on for the second.
        var saysPageWentOn: Bool {
            ["stale element", "no such element"].contains { description.hasPrefix($0) }
                || Self.wordsOfBrowser.contains { description.contains($0) }
        }

        /// The element takes no press yet, so that it would fall on what is below.
        var saysNotYet: Bool { description.hasPrefix("element click intercepted") }

        private static let wordsOfBrowser = [
            "does not belong to the document", "No node with given id found",
            "Cannot find context with specified id", "uniqueContextId not found",
            "Execution context was destroyed", "Inspected target navigated or closed",
        ]
    }

    private let port: UInt16
    private let leash: FileHandle
    /// What the driver and its browsers say: a browser that writes where nobody reads is ended by
    /// SIGPIPE, as one does that finds a home without its folders.
    private let voice: FileHandle

    /// A shell that ends the driver, and with it its browsers, as soon as its input ends.
    ///
    /// Also when this process crashes or is killed. The shell's own output is closed, so that the
    /// driver's end is the end of what it says.
    ///
    /// Not by SIGTERM: the driver inherits the signal mask of the thread that started it, and those
    /// of the pool block it.
    private static let script =
        "/usr/bin/chromedriver --port=0 --log-level=WARNING 2>&1 & driver=$!; "
        + "exec > /dev/null; cat > /dev/null; kill -9 $driver; wait $driver"

    /// Starts Debian's chromedriver on a free port.
    ///
    /// The driver picks a port that is free for one family of addresses and ends when it is not
    /// for the other, so it is started again a few times.
    init() async throws {
        for _ in 0..<4 {
            if let (port, leash, voice) = try? Self.start() {
                (self.port, self.leash, self.voice) = (port, leash, voice)
                return
            }
        }
        (port, leash, voice) = try Self.start()
    }

    private static func start() throws -> (port: UInt16, leash: FileHandle, voice: FileHandle) {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", script]
        let input = Pipe()
        process.standardInput = input
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        let leash = input.fileHandleForWriting
        let voice = output.fileHandleForReading
        do {
            let port = try port(voice)
            voice.readabilityHandler = { voice in
                if voice.availableData.isEmpty { voice.readabilityHandler = nil }
            }
            return (port, leash, voice)
        } catch {
            try? leash.close()
            throw error
        }
    }

    deinit { stop() }

    /// Reads the port from the line that says on which one it was started.
    private static func port(_ output: FileHandle) throws -> UInt16 {
        var text = ""
        while !text.contains("started successfully on port") || !text.hasSuffix("\n") {
            let data = output.availableData
            guard !data.isEmpty else { throw Failure(description: "chromedriver: \(text)") }
            text += String(decoding: data, as: UTF8.self)
        }
        let port = text.components(separatedBy: "on port ").last?.prefix { $0.isNumber } ?? ""
        return try Fixture.some(UInt16(port))
    }

    func stop() { try? leash.close() }

    func send(_ method: String, _ path: String, _ body: [String: Any]? = nil) async throws -> Any? {
        let content =
            method == "POST" ? try JSONSerialization.data(withJSONObject: body ?? [:]) : Data()
        let head = [
            "\(method) /\(path) HTTP/1.1", "Host: 127.0.0.1", "Connection: close",
            "Content-Type: application/json", "Content-Length: \(content.count)", "", "",
        ]
        let data = try await exchange(Array(head.joined(separator: "\r\n").utf8) + content)
        let answer = try JSONSerialization.jsonObject(with: data) as? [String: Any]
        let value = answer?["value"]
        if let error = value as? [String: Any], let name = error["error"] as? String {
            throw Failure(description: "\(name): \(error["message"] ?? "")")
        }
        return value
    }

    /// URLSession does not understand chromedriver's answers, and chromedriver does not close.
    private func exchange(_ bytes: [UInt8]) async throws -> Data {
        let descriptor = try Sockets.connect(to: .loopback(port: port))
        defer { Sockets.close(descriptor) }
        var sent = 0
        var received: [UInt8] = []
        let end = MonotonicInstant.now().advanced(by: .seconds(100))
        while MonotonicInstant.now() < end {
            if sent < bytes.count,
                case .moved(let count) = Sockets.write(descriptor, bytes, from: sent)
            {
                sent += count
                continue
            }
            switch Sockets.read(descriptor, appendingTo: &received, atMost: 1 << 20) {
            case .moved:
                if let body = Self.body(of: received) { return body }
            case .ended: throw Failure(description: "chromedriver closed")
            case .wouldBlock: try await Task.sleep(for: .milliseconds(3))
            case .failed(let error): throw error
            }
        }
        throw Failure(description: "chromedriver is silent")
    }

    /// The content once all of it is there.
    private static func body(of answer: [UInt8]) -> Data? {
        guard let end = Data(answer).range(of: Data("\r\n\r\n".utf8)) else { return nil }
        let head = String(decoding: answer[..<end.lowerBound], as: UTF8.self).lowercased()
        let digits = head.components(separatedBy: "content-length:").last ?? ""
        let count = Int(digits.drop { $0 == " " }.prefix { $0.isNumber }) ?? 0
        guard answer.count >= end.upperBound + count else { return nil }
        return Data(answer[end.upperBound...])
    }
}
