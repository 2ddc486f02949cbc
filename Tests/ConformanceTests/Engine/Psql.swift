import Foundation
import TestSupport

/// Asks the database of a stack, as its owner.
enum Psql {
    struct Failed: Error, CustomStringConvertible { let description: String }

    /// What a statement answers: one list of texts for each row.
    static func rows(_ statement: String, _ stack: RunningStack) throws -> [[String]] {
        let psql = Process()
        psql.executableURL = URL(filePath: "/usr/bin/env")
        psql.arguments = [
            "psql", stack.facts["DATABASE_URL"] ?? "", "-XAtq", "-F", "\t",
            "-v", "ON_ERROR_STOP=1", "-c", statement,
        ]
        let output = Pipe()
        psql.standardOutput = output
        try psql.run()
        let bytes = try output.fileHandleForReading.readToEnd() ?? Data()
        psql.waitUntilExit()
        guard psql.terminationStatus == 0 else {
            throw Failed(description: "psql refused: \(statement)")
        }
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map { row in
            row.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
        }
    }
}
