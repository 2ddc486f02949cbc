internal import YAML

/// One thing that is wrong with a configuration, and where.
package struct Finding: Hashable, Sendable, CustomStringConvertible {
    /// Where the value came from.
    package enum Source: Hashable, Sendable {
        /// Line and column count from 1.
        case document(line: Int, column: Int)
        /// An environment variable, by name.
        case environment(String)
    }

    /// What programs tell findings apart by; the message is for people.
    package enum Kind: Hashable, Sendable {
        /// A key that must be there is not.
        case missing
        /// A key that this program does not know.
        case unknownKey
        /// What is there is not right, or not beside the rest.
        case wrong
    }

    /// `oauth.clients[1].redirect_uris[0]`; empty for the document as a whole.
    package var path: String
    package var source: Source
    /// What is wrong and what would be right, one line without a full stop.
    package var message: String
    package var kind: Kind
    private var saysLine = false

    init(_ path: String, at place: YAMLPlace, _ message: String, kind: Kind = .wrong) {
        self.init(path, .document(line: place.line, column: place.column), message, kind: kind)
    }

    /// Of what is no YAML: no path leads there, so its description says the line.
    init(unread place: YAMLPlace, _ message: String) {
        self.init("", at: place, message)
        saysLine = true
    }

    init(_ path: String, _ source: Source, _ message: String, kind: Kind = .wrong) {
        self.path = path
        self.source = source
        self.message = message
        self.kind = kind
    }

    /// `<path>: <what is wrong>` (WireContract 3).
    package var description: String {
        guard saysLine, case .document(let line, _) = source else { return text }
        return "line \(line): \(text)"
    }

    private var text: String { path.isEmpty ? message : "\(path): \(message)" }

    /// `<file>:<line>: <path>: <what is wrong>`, or the variable's name instead of file and line.
    package func line(in file: String) -> String {
        switch source {
        case .document(let line, _): "\(file):\(line): \(text)"
        case .environment(let name): "\(name): \(text)"
        }
    }
}
