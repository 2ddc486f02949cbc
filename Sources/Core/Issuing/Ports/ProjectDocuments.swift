package import Domain

/// Reads a project's YAML document (WireContract 3).
package protocol ProjectDocuments: Sendable {
    /// The settings, every default filled in.
    ///
    /// - Throws: every finding at once.
    func read(_ document: [UInt8]) throws(ProjectFindings) -> ProjectSettings

    /// As `read`, of a document that was taken before: a rule that came later does not keep its
    /// project from being served.
    func readInForce(_ document: [UInt8]) throws(ProjectFindings) -> ProjectSettings

    /// What a document that can be read allows and had better not, a line each (Security 10).
    func cautions(in document: [UInt8]) -> [String]

    /// The clients that a document names, whatever else is wrong with it.
    func clients(in document: [UInt8]) -> [ClientID]

    /// Those of them whose end is that of whom they let in (`x_app2app_cascade_revocation`).
    func cascadingClients(in document: [UInt8]) -> [ClientID]

    /// The hosts that a document answers and that of its feed, whatever else is wrong with it.
    func hosts(in document: [UInt8]) -> [String]

    /// The cookie by which a document's web clients get access tokens, whatever else is wrong with
    /// it.
    func accessCookie(in document: [UInt8]) -> AccessCookie?

    /// - Throws: when the event that keeps `document` and names `clients` would be too large.
    func checkSize(of document: [UInt8], naming clients: [ClientID]) throws(ProjectFindings)

    /// The top-level paths in which two documents differ, sorted; all when one cannot be read.
    func changedPaths(from old: [UInt8]?, to new: [UInt8]) -> [String]
}

extension ProjectDocuments {
    package func readInForce(_ document: [UInt8]) throws(ProjectFindings) -> ProjectSettings {
        try read(document)
    }

    package func checkSize(of document: [UInt8], naming clients: [ClientID])
        throws(ProjectFindings)
    {}

    package func accessCookie(in document: [UInt8]) -> AccessCookie? {
        (try? readInForce(document))?.accessCookie
    }

    package func cascadingClients(in document: [UInt8]) -> [ClientID] {
        let clients = (try? readInForce(document))?.clients ?? []
        return clients.filter { $0.app2app?.cascades ?? false }.map(\.id)
    }
}
