internal import OAuth

/// Finds a route by path: exact ones by one hash look-up, patterns by comparing segments.
struct RouteTable<Element: Sendable>: Sendable {
    struct Match: Sendable {
        let element: Element
        let parameters: [String: [UInt8]]
    }

    private enum Segment: Sendable {
        case exact([UInt8])
        case parameter(String)
        /// `{name...}` at the end: all segments that are left, one at least.
        case rest
    }

    private var exact: [String: Element] = [:]
    private var patterns: [(segments: [Segment], element: Element)] = []

    /// Paths that are already taken are a mistake of the program, not of a request.
    mutating func add(_ path: String, _ element: Element) {
        guard path.utf8.contains(UInt8(ascii: "{")) else {
            precondition(exact[path] == nil, "two routes at \(path)")
            exact[path] = element
            return
        }
        let segments = Array(path.utf8).split(separator: UInt8(ascii: "/"))
        patterns.append((segments.map(Self.segment), element))
    }

    func match(_ path: String) -> Match? {
        // Targets are ASCII (Security 7.1), so equal texts are equal bytes.
        if let element = exact[path] { return Match(element: element, parameters: [:]) }
        guard !patterns.isEmpty, path.utf8.first == UInt8(ascii: "/") else { return nil }
        let parts = Array(path.utf8).dropFirst()
            .split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        for pattern in patterns {
            if let parameters = Self.match(pattern.segments, parts) {
                return Match(element: pattern.element, parameters: parameters)
            }
        }
        return nil
    }

    private static func segment(_ text: ArraySlice<UInt8>) -> Segment {
        guard text.first == UInt8(ascii: "{"), let end = text.firstIndex(of: UInt8(ascii: "}"))
        else { return .exact(Array(text)) }
        let name = String(decoding: text[..<end].dropFirst(), as: UTF8.self)
        if name.utf8.suffix(3).elementsEqual("...".utf8) { return .rest }
        precondition(end == text.indices.last, "text behind {\(name)}")
        return .parameter(name)
    }

    private static func match(_ segments: [Segment], _ parts: [ArraySlice<UInt8>])
        -> [String: [UInt8]]?
    {
        var parameters: [String: [UInt8]] = [:]
        let isOpen = if case .rest = segments.last { true } else { false }
        guard isOpen ? parts.count >= segments.count : parts.count == segments.count else {
            return nil
        }
        for (segment, part) in zip(segments, parts) {
            switch segment {
            case .rest: break
            case .exact(let text):
                guard part.elementsEqual(text) else { return nil }
            case .parameter(let name):
                guard !part.isEmpty,
                    let value = PercentEncoding.decode(part, plusIsSpace: false)
                else { return nil }
                parameters[name] = value
            }
        }
        return parameters
    }
}
