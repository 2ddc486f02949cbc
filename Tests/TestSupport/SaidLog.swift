import Foundation
package import Runtime

/// A log that a test reads when all is said.
package struct SaidLog: Sendable {
    package let writer: LogWriter
    private let pipe: Pipe

    package init(level: Log.Level = .info) {
        pipe = Pipe()
        writer = LogWriter(descriptor: pipe.fileHandleForWriting.fileDescriptor, level: level)
    }

    /// Writes there, as long as less is said than a pipe holds.
    package var log: Log { Log(writer) }

    /// All lines; nothing can be said any more.
    package func end() -> String {
        writer.flush(within: .seconds(20))
        pipe.fileHandleForWriting.closeFile()
        return String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    }
}
