import Foundation

/// How the places of the handbook are read that comments, tests and decisions name:
/// `WireContract 5.2`, `Security I4 and 4.2`.
enum Citations {
    static let articles = ["WireContract", "Security", "Events", "Architecture"]
    /// The plans that were cited before, which are not in the repository.
    static let plans = ["wire", "security", "events", "architecture", "facts", "style"]
        .map { "\($0).md" }

    /// What may cite, and its text: everything that people write, but for the inputs of fuzzers.
    static let texts: [(path: String, text: String)] = {
        let suffixes = [".swift", ".sql", ".md", ".http", ".py", ".patch", ".yaml"]
        let paths = ["Sources", "Tests", "deploy", "migrations"]
            .flatMap { SourceTree.paths(under: $0, suffix: "") }
            .filter { path in suffixes.contains { path.hasSuffix($0) } }
            .filter { !$0.hasPrefix("Tests/Fuzz/Corpus/") }
        return (paths + ["README.md", "Package.swift"]).compactMap { path in
            SourceTree.text(path).map { (path, $0) }
        }
    }()

    /// The places of `article` that a text names, in order.
    static func places(of article: String, in text: String) -> [String] {
        var found: [String] = []
        var rest = text[...]
        while let range = rest.range(of: article, options: .literal) {
            let before = text[..<range.lowerBound].last
            rest = rest[range.upperBound...]
            guard before.map({ !$0.isLetter && !$0.isNumber }) ?? true else { continue }
            // A line of a comment may end within.
            let tail = rest.prefix(160).replacing(/\s*\n[-+ ]?\s*(?:\/\/\/?|#|--)?\s*/, with: " ")
            found += list(at: tail)
        }
        return found
    }

    /// The places at the start of a text: of ` 5.1, 5.6 and 9.7`, ` 4.4 to 4.6` or `> I4` all.
    private static func list(at text: Substring) -> [String] {
        var rest = text.hasPrefix(">") ? text.dropFirst() : text
        var found: [String] = []
        guard rest.hasPrefix(" ") else { return [] }
        rest = rest.dropFirst()
        while let place = rest.prefixMatch(
            of: /(?:TB|[ILT])?[0-9]{1,2}(?:\.[0-9]{1,2})?(?![0-9])/
        ) {
            found.append(String(place.output))
            rest = rest[place.range.upperBound...]
            guard let next = rest.prefixMatch(of: /, and | and | or | to |, |–/) else { break }
            rest = rest[next.range.upperBound...]
        }
        return found
    }

    /// What an article has: the numbers of its headings, of the points of a list that begins
    /// below one (`8.3`), and the names of rows (`I4`, `L1`, `TB2`).
    static func places(in article: String) -> Set<String> {
        var places: Set<String> = []
        var section: Substring?
        for line in article.split(separator: "\n") {
            if let heading = line.prefixMatch(of: /#{2,} ([0-9]+(?:\.[0-9]+)?)\.?[ ]/) {
                section = heading.output.1
                places.insert(String(heading.output.1))
            } else if line.hasPrefix("#") {
                section = nil
            } else if let section, let point = line.prefixMatch(of: /([0-9]+)\.[ ]/) {
                places.insert("\(section).\(point.output.1)")
            } else if let row = line.prefixMatch(of: /\| ((?:TB|[ILT])[0-9]+[^|]*) \|/) {
                places.formUnion(row.output.1.split(separator: ", ").map(String.init))
            }
        }
        return places
    }
}
