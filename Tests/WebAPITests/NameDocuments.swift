import Domain
import Issuing

/// A document is the project's id, which is its host, too.
struct NameDocuments: ProjectDocuments {
    func read(_ document: [UInt8]) throws(ProjectFindings) -> ProjectSettings {
        guard let id = ProjectID(document) else { throw ProjectFindings(lines: ["id"]) }
        return ProjectSettings(
            id: id,
            name: id.text,
            publicOrigin: "https://\(id.text)",
            hosts: [id.text],
            clients: []
        )
    }

    func cautions(in document: [UInt8]) -> [String] { [] }

    func clients(in document: [UInt8]) -> [ClientID] { [] }

    func hosts(in document: [UInt8]) -> [String] { (try? read(document))?.allHosts ?? [] }

    func changedPaths(from old: [UInt8]?, to new: [UInt8]) -> [String] { ["http"] }
}
