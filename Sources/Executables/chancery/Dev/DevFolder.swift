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
