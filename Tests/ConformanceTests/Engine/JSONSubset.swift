import Foundation

/// Whether JSON holds what a file expects of it.
struct JSONSubset {
    let values: [String: String]
    private(set) var captured: [String: String] = [:]
    private(set) var differences: [String] = []

    init(_ values: [String: String]) { self.values = values }

    /// Compares; `path` names the place in what it reports.
    mutating func compare(_ expected: Any, _ actual: Any?, at path: String = "") {
        switch expected {
        case let object as [String: Any]:
            guard let actual = actual as? [String: Any] else {
                return differences.append("\(path) is not an object: \(shown(actual))")
            }
            for (name, value) in object.sorted(by: { $0.key < $1.key }) {
                compare(value, actual[name], at: "\(path)/\(name)")
            }
        case let array as [Any]:
            guard let actual = actual as? [Any], actual.count == array.count else {
                return differences.append("\(path) is not such a list: \(shown(actual))")
            }
            for (index, pair) in zip(array, actual).enumerated() {
                compare(pair.0, pair.1, at: "\(path)/\(index)")
            }
        case is NSNull:
            if let actual { differences.append("\(path) is there: \(shown(actual))") }
        case let text as String: compare(text, actual, path)
        default:
            let left = expected as? NSObject
            guard let right = actual as? NSObject, left == right else {
                return differences.append("\(path) is \(shown(actual)), not \(expected)")
            }
        }
    }

    private mutating func compare(_ text: String, _ actual: Any?, _ path: String) {
        let template = Template(text)
        // Alone, a wildcard stands for any value; inside text for text.
        let isAny = template.parts == [.anything]
        if isAny, actual != nil { return }
        let plain = (actual as? String) ?? (actual as? NSNumber).map { "\($0)" }
        do {
            guard let plain, let found = try template.match(plain, values) else {
                return differences.append("\(path) is \(shown(actual)), not \(text)")
            }
            captured.merge(found) { $1 }
        } catch { differences.append("\(path): \(error)") }
    }

    private func shown(_ value: Any?) -> String { value.map { "\($0)" } ?? "absent" }
}
