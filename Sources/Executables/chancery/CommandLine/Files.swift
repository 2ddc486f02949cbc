import Runtime

/// Small questions about files.
enum Files {
    static func exists(_ path: String) -> Bool {
        switch Result(catching: { () throws(FileReading.Failure) in
            try FileReading.bytes(at: path, bytesMax: 0)
        }) {
        case .success, .failure(.tooLarge), .failure(.forbidden): true
        case .failure: false
        }
    }

    /// The text of a file; nil when it cannot be read, or is no UTF-8.
    static func text(_ path: String, bytesMax: Int = 1 << 20) -> String? {
        guard let bytes = try? FileReading.bytes(at: path, bytesMax: bytesMax) else { return nil }
        return String(validating: bytes, as: UTF8.self)
    }

    /// The last lines of a file that may have any length; none when it cannot be read.
    static func lastLines(_ path: String, _ count: Int) -> [Substring] {
        let bytes = (try? FileReading.end(of: path, bytesMax: 16 * 1024)) ?? []
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n").suffix(count)
    }

    static func write(_ text: String, to path: String) throws(CommandFailure) {
        do { try FileWriting.replace(path, with: Array(text.utf8)) } catch {
            throw CommandFailure("cannot write \(path): \(error)")
        }
    }
}
