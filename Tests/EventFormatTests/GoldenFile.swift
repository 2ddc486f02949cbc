import Domain
import EventFormat
import Foundation
import OAuth

/// `Golden/<stored name>.json`: an event as it is stored and as it is published.
///
/// Written once, never changed: `GOLDEN=new` writes files that are missing.
struct GoldenFile {
    static let folder = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "Golden")

    static var names: [String] {
        let files = (try? FileManager.default.contentsOfDirectory(atPath: folder.path())) ?? []
        return files.filter { $0.hasSuffix(".json") }.map { String($0.dropLast(5)) }.sorted()
    }

    static var writesMissing: Bool {
        ProcessInfo.processInfo.environment["GOLDEN"] == "new"
    }

    /// Versions whose events got optional members later: the file of the first form stays, and
    /// each wider form has one of its own, `<stored name>~2.json`.
    private static let forms: [StoredType: Int] = [
        .loginLinkRequested: 2, .authorizationPushed: 2, .authorizationStarted: 2,
        .authorizationAuthenticated: 4, .authorizationCodeIssued: 4,
        .authorizationCodeRedeemed: 3, .biometricKeyEnabled: 4, .browserSessionOpened: 2,
        .browserSessionReauthenticated: 2, .offlineGrantApp2AppApproved: 2,
        .offlineGrantOpened: 2, .offlineGrantReauthenticated: 2, .projectConfigApplied: 3,
    ]

    /// The file of what today's writer writes.
    static func name(of type: StoredType) -> String {
        forms[type].map { "\(type.name)~\($0)" } ?? type.name
    }

    /// The stored name that a file is of.
    static func storedName(_ name: String) -> String { String(name.prefix { $0 != "~" }) }

    static func url(_ name: String) -> URL { folder.appending(path: "\(name).json") }

    /// The file's whole content; nil when there is none.
    static func read(_ name: String) -> [UInt8]? {
        (try? Data(contentsOf: url(name))).map { Array($0) }
    }

    static func write(_ name: String, _ content: [UInt8]) throws {
        try Data(content).write(to: url(name), options: .withoutOverwriting)
    }

    /// What the file of a row must hold: one line per part, so that a difference is seen.
    static func content(of row: StoredEvent, name: String) throws -> [UInt8] {
        let record = try PublishedForm.record(of: row, at: StoredSamples.place)
        let headers = record.headers.list.map {
            "    \(quoted($0.name)): \(quoted(text($0.value)))"
        }
        let content = """
            {
              "name": \(quoted(name)),
              "type": \(row.type),
              "payload": \(text(row.payload)),
              "metadata": \(text(row.metadata)),
              "published": {
                "key": \(quoted(text(record.key))),
                "headers": {
            \(headers.map { "  \($0)" }.joined(separator: ",\n"))
                },
                "value": \(text(record.value))
              }
            }

            """
        return Array(content.utf8)
    }

    private static func quoted(_ string: String) -> String {
        text(JSONWriter.write(.string(string)))
    }

    private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
}
