import Configuration
import YAML

extension Target {
    /// A document is read or its faults are named; warnings are those of documents that are read.
    static let yaml = Target("yaml") { bytes in
        let document = ProjectDocument()
        let isRead = (try? document.settings(bytes)) != nil
        precondition(isRead == ((try? document.warnings(bytes)) != nil), "two readings disagree")
        if isRead { precondition((try? YAMLDocument.parse(bytes)) != nil, "read, yet no YAML") }
        return isRead
    }
}
