import Runtime

/// Tells whether a stack runs in this folder: one at a time.
struct DevLock: Sendable {
    let folder: DevFolder

    /// The number of the running `chancery dev`; nil when there is none.
    var holder: Int32? {
        guard let text = Files.text(folder.lockFile) else { return nil }
        let words = text.split(separator: " ").map(String.init)
        guard words.count == 2, let number = Int32(words[0]),
            Self.startTime(of: number) == words[1]
        else { return nil }
        return number
    }

    func take() throws(CommandFailure) {
        let number = ThisProcess.number
        let text = "\(number) \(Self.startTime(of: number) ?? "0")"
        try Files.write(text, to: folder.lockFile)
    }

    /// When a process began, as the kernel counts: its number may be used again, this is not.
    private static func startTime(of number: Int32) -> String? {
        guard let text = Files.text("/proc/\(number)/stat"),
            let end = text.lastIndex(of: ")")
        else { return nil }
        // After the name come fields 3 and on; the start time is field 22.
        let fields = text[text.index(after: end)...].split(separator: " ")
        return fields.count > 19 ? String(fields[19]) : nil
    }
}
