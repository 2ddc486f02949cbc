import Configuration
import Runtime

/// A project document on disk.
struct ProjectFile: Sendable {
    private static let bytesMax = 256 * 1024

    let path: String
    let bytes: [UInt8]
    /// Empty where the document has none.
    let id: String

    /// - Throws: with 78 and the line of what is wrong, when the file is no YAML.
    init(_ path: String) throws(CommandFailure) {
        self.path = path
        bytes = try Self.read(path)
        do throws(ConfigurationError) {
            id = try SettingsDocument(bytes).root.optionalString("id") ?? ""
        } catch {
            let lines = error.findings.map { $0.line(in: path) }
            throw CommandFailure(lines.joined(separator: "\n"), status: 78)
        }
    }

    /// What the file holds, whatever it is.
    static func read(_ path: String) throws(CommandFailure) -> [UInt8] {
        do { return try FileReading.bytes(at: path, bytesMax: bytesMax) } catch {
            throw CommandFailure("cannot read \(path): \(error)")
        }
    }

    /// Refuses a file of another project than `--project` names.
    static func require(_ id: String, _ named: String?) throws(CommandFailure) {
        guard let named, id != named else { return }
        throw CommandFailure(
            "the file is of project \(id), and --project names \(named)",
            status: 64
        )
    }

    var text: String { String(decoding: bytes, as: UTF8.self) }

    /// What this program would refuse, with the lines; what only `--insecure-dev` allows, when that
    /// is all.
    var findings: [String] {
        for isInsecure in [true, false] {
            do throws(ConfigurationError) {
                _ = try ProjectDocument(isInsecureDevelopment: isInsecure).settings(bytes)
            } catch { return error.findings.map { $0.line(in: path) } }
        }
        return []
    }
}
