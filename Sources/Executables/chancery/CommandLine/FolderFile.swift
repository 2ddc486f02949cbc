import Runtime

/// A file of the folder that a command is called in, which nobody named (decision 0221).
enum FolderFile {
    /// Why it is not taken: somebody else may have put it there; nil: it is root's or ours, as all
    /// below the folder that leads to it.
    ///
    /// The folder itself may be anybody's: what others put there belongs to them.
    static func objection(to path: String) -> String? {
        let parts = path.split(separator: "/")
        for count in parts.indices.map({ $0 + 1 }) {
            let part = parts.prefix(count).joined(separator: "/")
            switch FileReading.strangers(at: part).first {
            case nil: continue
            case .owner(let number): return "\(part) belongs to user \(number)"
            case .others(let mode):
                return "\(part) may be written by others (mode \(String(mode, radix: 8)))"
            }
        }
        return nil
    }
}
