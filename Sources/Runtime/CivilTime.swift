/// A moment in UTC as people write it (proleptic Gregorian calendar).
package struct CivilTime: Hashable, Sendable {
    /// The year, such as 2026.
    package let year: Int
    /// 1 to 12.
    package let month: Int
    /// 1 to 31.
    package let day: Int
    /// 0 (Sunday) to 6.
    package let weekday: Int
    /// 0 to 23.
    package let hour: Int
    /// 0 to 59.
    package let minute: Int
    /// 0 to 59.
    package let second: Int
    /// 0 to 999 999.
    package let microsecond: Int

    /// Reads a count of microseconds since 1970-01-01T00:00:00Z; any value is valid.
    package init(microseconds: Int64) {
        let secondsTotal = Self.floor(Int(microseconds), 1_000_000)
        microsecond = (Int(microseconds % 1_000_000) + 1_000_000) % 1_000_000
        let days = Self.floor(secondsTotal, 86_400)
        let inDay = secondsTotal - days * 86_400
        (hour, minute, second) = (inDay / 3_600, inDay / 60 % 60, inDay % 60)
        weekday = (days + 4) - Self.floor(days + 4, 7) * 7
        // Days from March 1 of year 0, in eras of 400 years: H. Hinnant, "chrono-compatible
        // low-level date algorithms", civil_from_days.
        let shifted = days + 719_468
        let era = Self.floor(shifted, 146_097)
        let dayOfEra = shifted - era * 146_097
        let leap = dayOfEra / 1_460 - dayOfEra / 36_524 + dayOfEra / 146_096
        let yearOfEra = (dayOfEra - leap) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let marchMonth = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * marchMonth + 2) / 5 + 1
        month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    }

    private static func floor(_ value: Int, _ divisor: Int) -> Int {
        let quotient = value / divisor
        return value % divisor < 0 ? quotient - 1 : quotient
    }

    /// RFC 3339 with microseconds, such as `2026-01-31T23:59:59.000001Z`.
    package var rfc3339: String {
        var text: [UInt8] = []
        text.reserveCapacity(32)
        append(year, 4, to: &text)
        for (mark, number) in [("-", month), ("-", day), ("T", hour), (":", minute), (":", second)]
            as [(Unicode.Scalar, Int)]
        {
            text.append(UInt8(ascii: mark))
            append(number, 2, to: &text)
        }
        text.append(UInt8(ascii: "."))
        append(microsecond, 6, to: &text)
        text.append(UInt8(ascii: "Z"))
        return String(decoding: text, as: UTF8.self)
    }

    /// Appends at least `width` digits.
    private func append(_ number: Int, _ width: Int, to text: inout [UInt8]) {
        guard number >= 0 else { return text.append(contentsOf: pad(number, width).utf8) }
        let start = text.count
        var (rest, count) = (number, 0)
        while rest > 0 || count < width {
            text.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10))
            (rest, count) = (rest / 10, count + 1)
        }
        text[start...].reverse()
    }

    /// The IMF-fixdate of HTTP (RFC 9110 §5.6.7), such as `Sat, 31 Jan 2026 23:59:59 GMT`.
    package var httpDate: String {
        let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
        let months = [
            "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
        ]
        return "\(days[weekday]), \(pad(day, 2)) \(months[month - 1]) \(pad(year, 4)) "
            + "\(pad(hour, 2)):\(pad(minute, 2)):\(pad(second, 2)) GMT"
    }

    private func pad(_ number: Int, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}
