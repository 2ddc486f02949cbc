package import Domain
package import Issuing
internal import OAuth
internal import YAML

/// Reads a project's YAML document by every rule of WireContract 3.
///
/// Keys of features that are not built yet are checked like all others, then dropped.
package struct ProjectDocument: ProjectDocuments {
    /// Where the issuer stands.
    fileprivate static let originPath = "http.public_origin"
    /// The longest document in bytes: it is kept whole in an event (Events 1).
    package static let bytesMax = 256 * 1024

    /// Allows http for names and addresses that never leave the machine, and is for issuers there
    /// alone (Security 10).
    let isInsecureDevelopment: Bool

    /// Reads as in production unless `isInsecureDevelopment`.
    package init(isInsecureDevelopment: Bool = false) {
        self.isInsecureDevelopment = isInsecureDevelopment
    }

    package func read(_ document: [UInt8]) throws(ProjectFindings) -> ProjectSettings {
        let settings: ProjectSettings
        do { settings = try self.settings(document) } catch { throw ProjectFindings(error) }
        return try served(settings)
    }

    package func readInForce(_ document: [UInt8]) throws(ProjectFindings) -> ProjectSettings {
        let settings: ProjectSettings
        do { settings = try reading(document, isInForce: true).settings } catch {
            throw ProjectFindings(error)
        }
        return try served(settings)
    }

    /// The settings, when a process that reads as this does may serve them: in insecure development
    /// nobody outside may depend on what is not looked at (Security 10).
    private func served(_ settings: ProjectSettings) throws(ProjectFindings) -> ProjectSettings {
        let issuer = settings.publicOrigin
        guard !isInsecureDevelopment || IssuerOrigin.isForDevelopment(issuer) else {
            let problem = "\(issuer) is no name of this machine, and --insecure-dev is for no other"
            let line = "\(Self.originPath): \(problem)"
            throw ProjectFindings(lines: [line], isAboutOrigin: true)
        }
        return settings
    }

    /// As `read`; the error knows the line of each finding.
    ///
    /// - Throws: every finding at once, in the order of the document.
    package func settings(_ document: [UInt8]) throws(ConfigurationError) -> ProjectSettings {
        try reading(document, isInForce: false).settings
    }

    /// What is allowed and yet worth a second look (Security 10), one line each.
    ///
    /// - Throws: as `settings`.
    package func warnings(_ document: [UInt8]) throws(ConfigurationError) -> [String] {
        try reading(document, isInForce: false).warnings
    }

    package func cautions(in document: [UInt8]) -> [String] {
        (try? reading(document, isInForce: true).warnings) ?? []
    }

    private func reading(_ document: [UInt8], isInForce: Bool)
        throws(ConfigurationError) -> (settings: ProjectSettings, warnings: [String])
    {
        let reader = try reader(document)
        let reading = ProjectReading(reader.section, isInsecureDevelopment, isInForce: isInForce)
        let settings = reading.settings()
        if !isInForce {
            let size = Self.eventBytes(of: document, settings.clients.map(\.id))
            if size > Self.bytesMax {
                let problem =
                    "takes \(size) bytes in an event, of \(Self.bytesMax): a line's end, a quote "
                    + "and a backslash take two each, a client's name once more"
                reader.section.report(nil, problem)
            }
        }
        try reader.finish()
        return (settings, reading.warnings)
    }

    package func clients(in document: [UInt8]) -> [ClientID] {
        sections(of: document).compactMap(Self.id)
    }

    package func cascadingClients(in document: [UInt8]) -> [ClientID] {
        sections(of: document)
            .filter { $0.bool("x_app2app_cascade_revocation", default: false) }
            .compactMap(Self.id)
    }

    private func sections(of document: [UInt8]) -> [Section] {
        (try? reader(document).section)?.section("oauth").sections("clients") ?? []
    }

    private static func id(of client: Section) -> ClientID? {
        client.optionalString("client_id").flatMap { ClientID($0.utf8) }
    }

    package func hosts(in document: [UInt8]) -> [String] { known(of: document)?.allHosts ?? [] }

    package func accessCookie(in document: [UInt8]) -> AccessCookie? {
        known(of: document)?.accessCookie
    }

    /// What a document says, whatever is wrong with it; nil when it can be read by nobody.
    private func known(of document: [UInt8]) -> ProjectSettings? {
        guard let root = try? reader(document).section else { return nil }
        return ProjectReading(root, isInsecureDevelopment).settings()
    }

    package func changedPaths(from old: [UInt8]?, to new: [UInt8]) -> [String] {
        let after = Self.entries(new)
        let before = old.map(Self.entries) ?? [:]
        let names = Set(after.keys).union(before.keys)
        return names.filter { name in
            guard let left = before[name], let right = after[name] else { return true }
            return !left.hasSameContent(as: right)
        }.sorted()
    }

    package func checkSize(of document: [UInt8], naming clients: [ClientID])
        throws(ProjectFindings)
    {
        let size = Self.eventBytes(of: document, clients)
        guard size > Self.bytesMax else { return }
        let problem =
            "takes \(size) bytes in an event, of \(Self.bytesMax): it names the clients that are "
            + "removed and have x_app2app_cascade_revocation; remove them in more than one step"
        throw ProjectFindings(lines: ["oauth.clients: \(problem)"])
    }

    /// What the event that keeps it takes at most (Events 8).
    ///
    /// Its text in JSON, the names of clients that are new or gone, and a kilobyte for the rest.
    private static func eventBytes(of document: [UInt8], _ clients: [ClientID]) -> Int {
        let text = document.reduce(0) { size, byte in
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"), 0x08...0x0A, 0x0C, 0x0D: size + 2
            case ..<0x20: size + 6
            default: size + 1
            }
        }
        return clients.reduce(text + 1024) { $0 + $1.text.utf8.count + 3 }
    }

    private func reader(_ document: [UInt8]) throws(ConfigurationError) -> DocumentReader {
        let start = YAMLPlace(line: 1, column: 1)
        guard document.count <= Self.bytesMax else {
            throw ConfigurationError([
                Finding("", at: start, "larger than \(Self.bytesMax) bytes")
            ])
        }
        let root: YAMLNode
        do { root = try YAMLDocument.parse(document) } catch {
            throw ConfigurationError([Finding(unread: error.place, error.description)])
        }
        guard case .mapping = root.content else {
            throw ConfigurationError([Finding("", at: start, "must hold keys and values")])
        }
        return DocumentReader(root)
    }

    private static func entries(_ document: [UInt8]) -> [String: YAMLNode] {
        guard let root = try? YAMLDocument.parse(document),
            case .mapping(let entries) = root.content
        else { return [:] }
        return Dictionary(entries.map { ($0.key, $0.value) }) { first, _ in first }
    }
}

extension ProjectFindings {
    fileprivate init(_ error: ConfigurationError) {
        self.init(
            lines: error.findings.map(\.description),
            isAboutOrigin: error.findings.first?.path == ProjectDocument.originPath
        )
    }
}

extension YAMLNode {
    /// Whether two nodes say the same; where they stand and how they are quoted does not matter.
    fileprivate func hasSameContent(as other: YAMLNode) -> Bool {
        switch (content, other.content) {
        case (.scalar(let left, _), .scalar(let right, _)): left.utf8.elementsEqual(right.utf8)
        case (.sequence(let left), .sequence(let right)):
            left.count == right.count && zip(left, right).allSatisfy { $0.hasSameContent(as: $1) }
        case (.mapping(let left), .mapping(let right)):
            left.count == right.count
                && left.allSatisfy { entry in
                    let twin = right.first { $0.key.utf8.elementsEqual(entry.key.utf8) }
                    return twin.map { entry.value.hasSameContent(as: $0.value) } ?? false
                }
        case (.scalar, _), (.sequence, _), (.mapping, _): false
        }
    }
}
