internal import OAuth

/// The files that pages refer to: built in, named by their content, cached for ever.
package enum StaticAsset: String, CaseIterable, Sendable {
    case style, icon, waiting, submit

    package var bytes: [UInt8] {
        switch self {
        case .style: PackageResources.style_css
        case .icon: PackageResources.icon_svg
        case .waiting: PackageResources.waiting_js
        case .submit: PackageResources.submit_js
        }
    }

    var contentType: StaticString {
        switch self {
        case .style: "text/css; charset=utf-8"
        case .icon: "image/svg+xml"
        case .waiting, .submit: "text/javascript; charset=utf-8"
        }
    }

    /// `/assets/<name>.<hash>.<extension>`.
    package var path: String { "/assets/\(fileName)" }

    package var fileName: String { Self.fileNames[self] ?? rawValue }

    package init?(fileName: [UInt8]) {
        let match = Self.fileNames.first { fileName.elementsEqual($0.value.utf8) }
        guard let match else { return nil }
        self = match.key
    }

    private var fileExtension: String {
        switch self {
        case .style: "css"
        case .icon: "svg"
        case .waiting, .submit: "js"
        }
    }

    private static let fileNames: [StaticAsset: String] = {
        var names: [StaticAsset: String] = [:]
        for asset in allCases {
            let hash = Hexadecimal.text(contentHash(asset.bytes))
            names[asset] = "\(asset.rawValue).\(hash).\(asset.fileExtension)"
        }
        return names
    }()

    /// FNV-1a, 64 bits: it only has to change when the file does; what scripts may run is told by
    /// their SHA-256 (`PageScripts`).
    private static func contentHash(_ bytes: [UInt8]) -> [UInt8] {
        let hash = bytes.reduce(UInt64(0xCBF2_9CE4_8422_2325)) {
            ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3
        }
        return (0..<8).map { UInt8(truncatingIfNeeded: hash >> UInt64(56 - 8 * $0)) }
    }
}
