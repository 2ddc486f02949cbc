import Foundation

/// The files of this checkout.
enum SourceTree {
    static let root = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// Every Swift file of the project, read and cut up once.
    static let all: [SourceFile] = ["Sources", "Tests", "migrations"]
        .flatMap { paths(under: $0, suffix: ".swift") }
        .compactMap { path in text(path).map { SourceFile(path: path, text: $0) } }

    static func files(under folder: String) -> [SourceFile] {
        all.filter { $0.path.hasPrefix("\(folder)/") }
    }

    /// The paths of the files below a folder, from the root, sorted; none when it is missing.
    static func paths(under folder: String, suffix: String) -> [String] {
        let start = root.appending(path: folder).path
        let names = FileManager.default.enumerator(atPath: start)?.compactMap { $0 as? String }
        return (names ?? []).filter { $0.hasSuffix(suffix) }.map { "\(folder)/\($0)" }.sorted()
    }

    static func text(_ path: String) -> String? {
        try? String(contentsOf: root.appending(path: path), encoding: .utf8)
    }

    /// The folders that hold one target's sources each, such as `Core/Domain`.
    static func targetFolders() -> Set<String> {
        let paths = all.map(\.path).filter { $0.hasPrefix("Sources/") }
        return Set(
            paths.map { path in
                let parts = path.split(separator: "/")
                let depth = parts[1] == "Runtime" ? 2 : 3
                return parts[1..<depth].joined(separator: "/")
            }
        )
    }
}
