import Runtime

/// Sees to it that one stack runs in a folder.
struct DevLock: Sendable {
    let folder: DevFolder

    /// The lock for as long as it is kept; nil when a stack runs here already.
    func take() throws(CommandFailure) -> FileLock? {
        do { return try FileLock(folder.lockFile, note: "\(ThisProcess.number)") } catch {
            throw CommandFailure("cannot lock \(folder.lockFile): \(error)")
        }
    }

    /// The number of the process that holds it; nil when it has just begun or ended.
    var holder: Int32? { Files.text(folder.lockFile).flatMap { Int32($0) } }
}
