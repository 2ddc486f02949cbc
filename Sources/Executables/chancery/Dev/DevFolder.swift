import Runtime

/// Where `chancery dev` keeps everything: `.chancery/` in the checkout.
struct DevFolder: Sendable {
    /// The checkout, absolute.
    let checkout: String
    /// `.chancery`, or what `--directory` named, absolute.
    let path: String

    var postgres: String { "\(path)/postgres" }
    var kafka: String { "\(path)/kafka" }
    var maildir: String { "\(path)/mail" }
    var settings: String { "\(path)/config" }
    var secrets: String { "\(path)/secrets" }
    var logs: String { "\(path)/log" }
    var environmentFile: String { "\(path)/dev.env" }
    var lockFile: String { "\(path)/dev.pid" }

    func log(_ name: String) -> String { "\(logs)/\(name).log" }

    /// - Throws: when the current directory is no checkout.
    init(_ name: String) throws(CommandFailure) {
        let here = ThisProcess.directory
        guard Files.exists("\(here)/deploy/mail-sink") else {
            throw CommandFailure(
                "\(here) is not a checkout of Chancery",
                remedy: "Run deploy/dev, or chancery dev, from the top of the checkout."
            )
        }
        checkout = here
        path = name.hasPrefix("/") ? name : "\(here)/\(name)"
    }

    /// Makes every folder that is missing.
    func create() throws(CommandFailure) {
        for folder in [path, postgres, kafka, settings, secrets, logs] {
            do { try FileWriting.makeDirectory(folder) } catch {
                throw CommandFailure("cannot make \(folder): \(error)")
            }
        }
    }
}

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
