import Foundation

/// Folders of runs that were interrupted before they could remove them.
package enum StaleFolders {
    /// Removes what begins with `prefix` in the temporary folder and was not touched for `seconds`.
    package static func sweep(_ prefix: String, olderThan seconds: Double) {
        let files = FileManager.default
        let folder = files.temporaryDirectory
        let names = (try? files.contentsOfDirectory(atPath: folder.path)) ?? []
        for name in names where name.hasPrefix(prefix) {
            let path = folder.appending(path: name).path
            guard
                let changed = try? files.attributesOfItem(atPath: path)[.modificationDate] as? Date,
                changed.timeIntervalSinceNow < -seconds
            else { continue }
            try? files.removeItem(atPath: path)
        }
    }
}
