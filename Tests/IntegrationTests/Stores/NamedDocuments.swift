import Domain
import Issuing
import OAuth
import TestSupport

/// A document is the project's name, perhaps with a revision behind a slash.
struct NamedDocuments: ProjectDocuments {
    /// Those of every document.
    var services: [ClientID] = []

    func read(_ document: [UInt8]) throws(ProjectFindings) -> ProjectSettings {
        let text = String(decoding: document, as: UTF8.self)
        let name = String(text.prefix { $0 != "/" })
        return ProjectSettings(
            id: Sample.project(name),
            name: text,
            publicOrigin: "https://\(name).example.com",
            hosts: ["\(name).example.com"],
            clients: services.map {
                ClientSettings(id: $0, name: "API", applicationType: .m2m)
            }
        )
    }

    func cautions(in document: [UInt8]) -> [String] { [] }
    func clients(in document: [UInt8]) -> [ClientID] { services }
    func hosts(in document: [UInt8]) -> [String] { [] }
    func changedPaths(from old: [UInt8]?, to new: [UInt8]) -> [String] { [] }
}
