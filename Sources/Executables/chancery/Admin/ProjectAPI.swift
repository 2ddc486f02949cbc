import OAuth
import Runtime

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
