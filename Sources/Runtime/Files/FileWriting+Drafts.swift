import Glibc

extension FileWriting {
    /// How old a draft is that nobody writes any more: one takes milliseconds.
    static let draftSecondsMax: Int64 = 600

    /// Removes what processes that ended while they wrote have left in a directory: drafts of the
    /// files that `isFile` names.
    ///
    /// A younger one may be another process's that writes now; taken from under it, by a clock that
    /// is wrong, its write fails and changes nothing. What cannot be removed stays.
    ///
    /// - Returns: their names, in the order of their bytes.
    @discardableResult
    package static func removeDrafts(in directory: String, of isFile: (String) -> Bool)
        -> [String]
    {
        guard let names = try? FileReading.names(inDirectory: directory) else { return [] }
        return names.filter { name in
            guard let file = file(ofDraft: name), isFile(file) else { return false }
            return removeOld("\(directory)/\(name)")
        }
    }

    /// What a draft of `replace` or `create` is to become; nil for what is none.
    private static func file(ofDraft name: String) -> String? {
        var file = name[...]
        while let shorter = withoutMark(file) { file = shorter }
        return file.count < name.count ? String(file) : nil
    }

    private static func withoutMark(_ name: Substring) -> Substring? {
        let digits = name.utf8.reversed().prefix { 0x30...0x39 ~= $0 }.count
        guard digits > 0 else { return nil }
        let marked = name.dropLast(digits)
        let mark = [".new-", ".mine-"].first { marked.hasSuffix($0) }
        return mark.map { marked.dropLast($0.count) }
    }

    private static func removeOld(_ path: String) -> Bool {
        var status = stat()
        guard !path.utf8.contains(0), unsafe lstat(path, &status) == 0,
            status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid(),
            WallTime.nowSeconds() - Int64(status.st_mtim.tv_sec) > draftSecondsMax
        else { return false }
        return unsafe unlink(path) == 0
    }
}
