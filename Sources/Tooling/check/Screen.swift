import Foundation

/// Standard output without a buffer: a line is seen when it is said, also through a pipe.
enum Screen {
    static let isTerminal = isatty(STDOUT_FILENO) == 1

    static func say(_ line: String) { write((isTerminal ? "\r\u{1B}[K" : "") + line + "\n") }

    /// Replaces the current line on a terminal; elsewhere a line every half minute.
    static func beat(_ name: String, _ seconds: Int) {
        if isTerminal {
            write("\r\u{1B}[K  \(name) … \(seconds) s")
        } else if seconds % 30 == 0 {
            write("  \(name) … \(seconds) s\n")
        }
    }

    private static func write(_ text: String) {
        try? FileHandle.standardOutput.write(contentsOf: Data(text.utf8))
    }
}
