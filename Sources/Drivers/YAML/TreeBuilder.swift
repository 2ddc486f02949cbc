/// Builds the tree from events; libyaml has already matched starts and ends.
struct TreeBuilder {
    private var events: ArraySlice<YAMLEvents.Located>
    private var place = YAMLPlace(line: 1, column: 1)

    init(_ events: [YAMLEvents.Located]) { self.events = events[...] }

    /// The root of the only document.
    mutating func document() throws(YAMLError) -> YAMLNode {
        guard case .documentStart? = next(), let root = try node() else {
            throw YAMLError(.empty, at: place)
        }
        if case .scalar(let text, isPlain: true) = root.content, text.isEmpty {
            throw YAMLError(.empty, at: root.place)
        }
        guard next() == nil else { throw YAMLError(.secondDocument, at: place) }
        return root
    }

    private mutating func next() -> YAMLEvents.Event? {
        guard let located = events.popFirst() else { return nil }
        place = located.place
        return located.event
    }

    /// The next node; nil where the surrounding collection ends.
    private mutating func node() throws(YAMLError) -> YAMLNode? {
        guard let event = next() else { return nil }
        let start = place
        switch event {
        case .scalar(let text, let isPlain):
            return YAMLNode(.scalar(text: text, isPlain: isPlain), at: start)
        case .sequenceStart:
            var elements: [YAMLNode] = []
            while let element = try node() { elements.append(element) }
            return YAMLNode(.sequence(elements), at: start)
        case .mappingStart: return YAMLNode(.mapping(try entries()), at: start)
        case .sequenceEnd, .mappingEnd, .documentStart: return nil
        }
    }

    private mutating func entries() throws(YAMLError) -> [YAMLNode.Entry] {
        var entries: [YAMLNode.Entry] = []
        var seen: Set<[UInt8]> = []
        while let key = try node() {
            guard case .scalar(let text, _) = key.content else {
                throw YAMLError(.keyIsNoScalar, at: key.place)
            }
            guard seen.insert(Array(text.utf8)).inserted else {
                throw YAMLError(.duplicateKey(text), at: key.place)
            }
            guard let value = try node() else { break }
            entries.append(YAMLNode.Entry(key: text, keyPlace: key.place, value: value))
        }
        return entries
    }
}
