import Glibc

extension FileReading {
    /// Somebody else than root and this user who may change a file, or what is in a directory.
    package enum Stranger: Hashable, Sendable {
        /// Its owner, who has this number.
        case owner(UInt32)
        /// Its group or everybody, by its mode.
        case others(mode: UInt32)
    }

    /// All of them; of a link, those of what it names.
    ///
    /// None also where there is nothing at `path`.
    package static func strangers(at path: String) -> [Stranger] {
        var status = stat()
        guard !path.utf8.contains(0), unsafe stat(path, &status) == 0 else { return [] }
        return strangers(of: status)
    }

    static func strangers(of status: stat) -> [Stranger] {
        var found: [Stranger] = []
        if status.st_uid != 0, status.st_uid != geteuid() { found.append(.owner(status.st_uid)) }
        if status.st_mode & 0o022 != 0 { found.append(.others(mode: status.st_mode & 0o7777)) }
        return found
    }

    /// Whether there is any.
    package static func isWritableByOthers(_ path: String) -> Bool {
        !strangers(at: path).isEmpty
    }
}
