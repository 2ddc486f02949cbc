import Configuration
import OAuth
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

/// The project part of the admin API.
struct ProjectAPI: Sendable {
    /// The document in force.
    struct Current: Sendable {
        var text: String
        /// What `If-Match` names, without quotes.
        var digest: String?
    }

    private let client: AdminClient
    private let loop: Loop

    init(_ client: AdminClient, on loop: Loop) {
        self.client = client
        self.loop = loop
    }

    /// The document in force; nil when there is no such project.
    ///
    /// - Throws: also when `id`, a file's, is empty or not what `--project` names.
    func current(_ id: String?) async throws(CommandFailure) -> Current? {
        guard id != "" else {
            throw CommandFailure(
                "the document has no id",
                remedy: "It says of which project it is, as in: id: shop",
                status: 78
            )
        }
        if let id { try ProjectFile.require(id, client.namedProject) }
        do {
            let answer = try await client.call("GET", "/project", query: query(id), on: loop)
            let digest = answer["etag"].map { $0.filter { $0 != "\"" } }
            return Current(text: answer.text, digest: digest)
        } catch {
            if error.httpStatus == 404 { return nil }
            throw error
        }
    }

    /// - Throws: also, with 78 and the lines of the findings, when the server refuses the document.
    /// - Returns: whether the project is suspended, before as after it.
    func apply(
        _ file: ProjectFile,
        over current: Current?,
        reason: String
    ) async throws(CommandFailure) -> Bool {
        let condition: (name: String, value: String) =
            if let digest = current?.digest { ("If-Match", "\"\(digest)\"") } else {
                ("If-None-Match", "*")
            }
        do throws(CommandFailure) {
            let answer = try await client.call(
                "PUT",
                "/project",
                query: query(file.id) + [("reason", reason)],
                headers: Self.yaml + [condition],
                body: file.bytes,
                on: loop
            )
            return answer.json?["result"]?["suspended"] == true
        } catch {
            guard error.reason == "ValidationFailed" else { throw error }
            // The server decides, and knows no lines: what this program finds stands behind.
            let lines = [error.sentence] + file.findings
            throw CommandFailure(lines.joined(separator: "\n"), status: 78)
        }
    }

    /// The newest versions, or those before `end`, the newest first.
    func history(before end: Int?) async throws(CommandFailure) -> [JSON] {
        let query = end.map { [(name: "before", value: "\($0)")] } ?? []
        let answer = try await client.call("GET", "/project/history", query: query, on: loop)
        guard case .array(let versions) = answer.json?["result"]?["versions"] else { return [] }
        return versions
    }

    private static let yaml = [(name: "Content-Type", value: "application/yaml")]

    /// The document names its project, so that nobody applies it to another by mistake.
    private func query(_ id: String?) -> [(name: String, value: String)] {
        guard let id, !id.isEmpty, client.namedProject == nil else { return [] }
        return [("project", id)]
    }
}

extension JSON {
    /// A scalar as people read it.
    var shown: String {
        switch self {
        case .null: ""
        case .bool(let value): "\(value)"
        case .integer(let value): "\(value)"
        case .decimal(let text), .string(let text): text
        case .array, .object: String(decoding: JSONWriter.write(self), as: UTF8.self)
        }
    }
}
