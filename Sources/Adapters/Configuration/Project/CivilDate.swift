internal import OAuth

/// A day written `YYYY-MM-DD` (RFC 3339 section 5.6), days as each month has them.
struct CivilDate {
    private let year, month, day: Int

    init?(_ text: String) {
        let parts = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        let numbers = parts.compactMap { DecimalDigits.read($0.span).map { Int($0) } }
        guard parts.map(\.count) == [4, 2, 2], numbers.count == parts.count else { return nil }
        (year, month, day) = (numbers[0], numbers[1], numbers[2])
        let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        let days = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        guard 1...12 ~= month, 1...days[month - 1] ~= day else { return nil }
    }

    /// Of the Gregorian calendar; the year is counted from March, so that leap days come last.
    var daysSince1970: Int64 {
        let shifted = month <= 2 ? year - 1 : year
        let era = shifted / 400
        let yearOfEra = shifted % 400
        let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return Int64(era * 146_097 + dayOfEra - 719_468)
    }
}
