import Foundation
import Glibc
import OAuth
import Runtime

/// The log of all that is tested here, for what a client is not told.
final class RefusalLog: Sendable {
    static let shared = RefusalLog()

    /// Why a request was refused, and the name of that in the handbook.
    struct Refusal: Sendable {
        var cause: String
        var id: String
    }

    let log: Log
    private let writer: LogWriter
    private let input: Int32
    private let read = Guarded<(rest: [UInt8], refusals: [String: Refusal])>(([], [:]))

    private init() {
        let path = NSTemporaryDirectory() + "refusals-\(UUID().uuidString)"
        let output = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL, 0o600)
        input = unsafe open(path, O_RDONLY)
        unsafe unlink(path)
        writer = LogWriter(descriptor: output)
        log = Log(writer)
    }

    /// Why the request with this id was refused; nil when it was not.
    func refusal(of request: String) -> Refusal? {
        // The line is on its way: a thread of its own writes it.
        for _ in 0..<200 {
            writer.flush()
            if let found = readOn(request) { return found }
            usleep(1_000)
        }
        return nil
    }

    private func readOn(_ request: String) -> Refusal? {
        read.withLock { read in
            var buffer = [UInt8](repeating: 0, count: 64 * 1024)
            while true {
                let count = unsafe Glibc.read(input, &buffer, buffer.count)
                guard count > 0 else { break }
                read.rest += buffer.prefix(count)
            }
            var lines = read.rest.split(separator: 0x0A, omittingEmptySubsequences: false)
            read.rest = lines.popLast().map(Array.init) ?? []
            for line in lines {
                guard let said = try? JSONReader.read(Array(line), numbers: .any),
                    let id = said["request_id"]?.string, let cause = said["cause"]?.string
                else { continue }
                let name = said["refusal"]?.string ?? ""
                read.refusals[id] = Refusal(cause: cause, id: name)
            }
            return read.refusals[request]
        }
    }
}

extension Answer {
    /// What the log says of it and the client does not hear.
    var refusal: RefusalLog.Refusal? {
        field("X-Request-Id").first.flatMap { RefusalLog.shared.refusal(of: $0) }
    }
}
