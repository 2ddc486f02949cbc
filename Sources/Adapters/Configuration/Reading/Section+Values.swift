internal import OAuth

extension Section {
    /// The text at `key`, or `value`.
    package func string(_ key: String, default value: String) -> String {
        optionalString(key) ?? value
    }

    /// The text at `key`; reports its absence, with `hint` saying what would be right.
    package func string(_ key: String, hint: String) -> String {
        guard has(key) else {
            report(key, "is required: \(hint)", kind: .missing)
            return ""
        }
        return optionalString(key) ?? ""
    }

    /// The whole number at `key`, or `value`; digits alone, within `range`.
    package func integer(_ key: String, in range: ClosedRange<Int>, default value: Int) -> Int {
        optionalInteger(key, in: range) ?? value
    }

    /// The whole number at `key`, nil when absent or reported.
    package func optionalInteger(_ key: String, in range: ClosedRange<Int>) -> Int? {
        guard let scalar = scalar(key) else { return nil }
        let (low, high) = (range.lowerBound, range.upperBound)
        guard scalar.isPlain, let number = Self.number(scalar.text[...]), range.contains(number)
        else {
            report(key, "must be a whole number from \(low) to \(high), not `\(scalar.text)`")
            return nil
        }
        return number
    }

    /// `true` or `false` at `key`, or `value`.
    package func bool(_ key: String, default value: Bool) -> Bool {
        optionalBool(key) ?? value
    }

    /// `true` or `false` at `key`, nil when absent or reported.
    package func optionalBool(_ key: String) -> Bool? {
        guard let scalar = scalar(key) else { return nil }
        switch (scalar.text, scalar.isPlain) {
        case ("true", true): return true
        case ("false", true): return false
        default:
            report(key, "must be true or false, not `\(scalar.text)`")
            return nil
        }
    }

    /// One of the enumeration's raw values at `key`, or `value`.
    package func choice<Choice>(_ key: String, default value: Choice) -> Choice
    where Choice: RawRepresentable<String> & CaseIterable {
        optionalChoice(key, of: Choice.self) ?? value
    }

    /// One of the enumeration's raw values at `key`, nil when absent or reported.
    package func optionalChoice<Choice>(_ key: String, of: Choice.Type) -> Choice?
    where Choice: RawRepresentable<String> & CaseIterable {
        guard let text = optionalString(key) else { return nil }
        if let choice = Choice.allCases.first(where: { $0.rawValue == text }) { return choice }
        let known = Choice.allCases.map { "`\($0.rawValue)`" }.joined(separator: ", ")
        report(key, "must be one of \(known), not `\(text)`")
        return nil
    }

    /// A length of time at `key`, or `value`: digits and one of `ms`, `s`, `m`, `h`, `d`.
    package func duration(
        _ key: String,
        in range: ClosedRange<Duration>,
        default value: Duration
    ) -> Duration {
        guard let scalar = scalar(key) else { return value }
        guard let duration = Self.duration(scalar.text), range.contains(duration) else {
            let (low, high) = (Self.text(range.lowerBound), Self.text(range.upperBound))
            let problem = "must be a time from \(low) to \(high) such as 250ms, 5s, 10m, 1h or 30d"
            report(key, "\(problem), not `\(scalar.text)`")
            return value
        }
        return duration
    }

    /// The list of single values at `key`, or `value`.
    package func strings(_ key: String, default value: [String] = []) -> [String] {
        optionalStrings(key) ?? value
    }

    private static func number(_ text: Substring) -> Int? {
        text.utf8.count <= 18 ? DecimalDigits.read(text.utf8.span).map { Int($0) } : nil
    }

    private static let units: [(suffix: String, milliseconds: Int)] = [
        ("ms", 1), ("s", 1000), ("m", 60_000), ("h", 3_600_000), ("d", 86_400_000),
    ]

    private static func duration(_ text: String) -> Duration? {
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        let suffix = text.dropFirst(digits.count)
        guard let unit = units.first(where: { $0.suffix == suffix }), let number = number(digits),
            number <= 1_000_000_000
        else { return nil }
        return .milliseconds(number * unit.milliseconds)
    }

    private static func text(_ duration: Duration) -> String {
        let (seconds, attoseconds) = duration.components
        let milliseconds = Int(seconds) * 1000 + Int(attoseconds / 1_000_000_000_000_000)
        let unit = units.last { milliseconds % $0.milliseconds == 0 && milliseconds > 0 }
        return "\(milliseconds / (unit?.milliseconds ?? 1))\(unit?.suffix ?? "ms")"
    }
}
