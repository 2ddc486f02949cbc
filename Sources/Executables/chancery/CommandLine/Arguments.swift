import Issuing
import OAuth

/// The words behind a command, taken one option at a time.
struct Arguments {
    private var words: [String]
    /// What stands behind `--`.
    private var plain: [String]
    /// The options that were there and are taken.
    private var taken: Set<String> = []

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
        taken.insert(name)
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
        taken.insert(name)
        return value
    }

    /// The value of an option as a number inside `range`, if it is there.
    mutating func number(_ name: String, in range: ClosedRange<Int>) throws(UsageError) -> Int? {
        guard let text = try value(name) else { return nil }
        let number = DecimalDigits.read(text.utf8.span).map { Int($0) }
        guard let number, range ~= number else {
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

    /// The verb of a command that has several: the next word, which must be one of them.
    mutating func verb<Verb: CaseIterable & RawRepresentable<String>>(of command: String)
        throws(UsageError) -> Verb
    {
        let known = Self.listed(Verb.allCases.map(\.rawValue), "or")
        let named = try word(known)
        guard let verb = Verb(rawValue: named) else {
            throw UsageError(sentence: "\(command) does not know \(named): say \(known)")
        }
        return verb
    }

    /// Refuses options that were given to a verb that would not look at them.
    func refuse<Verb: Equatable & RawRepresentable<String>>(
        _ options: String...,
        at verb: Verb,
        unless right: Verb...
    ) throws(UsageError) {
        guard !right.contains(verb), let option = options.first(where: { taken.contains($0) })
        else { return }
        let verbs = Self.listed(right.map(\.rawValue), "and")
        throw UsageError(sentence: "\(option) goes with \(verbs)")
    }

    /// The value of an option that was taken and must be there; `meaning` says what it says.
    static func required(_ value: String?, _ option: String, _ meaning: String)
        throws(UsageError) -> String
    {
        guard let value else { throw UsageError(sentence: "\(option) is missing: \(meaning)") }
        return value
    }

    /// The value of `--reason`, which must be there and be one: nobody is asked in vain.
    static func reason(_ value: String?) throws(UsageError) -> String {
        let reason = try required(value, "--reason", "say why")
        guard Order.isReason(reason) else {
            throw UsageError(sentence: "--reason must be 1 to 200 bytes of text on one line")
        }
        return reason
    }

    /// `a, b or c`.
    private static func listed(_ words: [String], _ last: String) -> String {
        guard words.count > 1, let end = words.last else { return words.first ?? "" }
        return "\(words.dropLast().joined(separator: ", ")) \(last) \(end)"
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
