/// The words behind a command, taken one option at a time.
struct Arguments {
    private var words: [String]
    /// What stands behind `--`.
    private var plain: [String]

    /// `--name=value` counts as `--name value`; after `--` nothing is an option.
    init(_ words: [String]) {
        let end = words.firstIndex(of: "--") ?? words.endIndex
        plain = Array(words[end...].dropFirst())
        self.words = words[..<end].flatMap { word in
            guard word.hasPrefix("--"), let sign = word.firstIndex(of: "=") else { return [word] }
            return [String(word[..<sign]), String(word[word.index(after: sign)...])]
        }
    }

    /// Whether an option without a value is there.
    mutating func flag(_ name: String) -> Bool {
        guard let at = words.firstIndex(of: name) else { return false }
        words.remove(at: at)
        return true
    }

    /// The value of an option, if it is there.
    mutating func value(_ name: String) throws(UsageError) -> String? {
        guard let at = words.firstIndex(of: name) else { return nil }
        guard at + 1 < words.count, !words[at + 1].hasPrefix("--") else {
            throw UsageError(sentence: "\(name) needs a value")
        }
        let value = words[at + 1]
        words.removeSubrange(at...at + 1)
        return value
    }

    /// The value of an option as a number inside `range`, if it is there.
    mutating func number(_ name: String, in range: ClosedRange<Int>) throws(UsageError) -> Int? {
        guard let text = try value(name) else { return nil }
        guard text.utf8.allSatisfy({ 48...57 ~= $0 }), let number = Int(text), range ~= number
        else {
            throw UsageError(
                sentence: "\(name) is \(text); it must be \(range.lowerBound)-\(range.upperBound)"
            )
        }
        return number
    }

    /// The next word that is no option, if there is one.
    ///
    /// Take the options first.
    mutating func word() -> String? {
        guard let at = words.firstIndex(where: { !$0.hasPrefix("-") }) else {
            return plain.isEmpty ? nil : plain.removeFirst()
        }
        return words.remove(at: at)
    }

    /// The next word, which must be there.
    mutating func word(_ meaning: String) throws(UsageError) -> String {
        if let word = word() { return word }
        // As one key in 64 does.
        guard let left = words.first(where: { $0.hasPrefix("-") && !$0.hasPrefix("--") }) else {
            throw UsageError(sentence: "\(meaning) is missing")
        }
        throw UsageError(
            sentence: "\(meaning) is missing; if it is \(left), write it last, as: -- \(left)"
        )
    }

    /// Refuses what nobody took.
    func finish() throws(UsageError) {
        if let word = words.first {
            let kind = word.hasPrefix("-") ? "option" : "argument"
            throw UsageError(sentence: "unknown \(kind) \(word)")
        }
        if let word = plain.first { throw UsageError(sentence: "unknown argument \(word)") }
    }
}
